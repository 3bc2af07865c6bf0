"""What waits for an admin's decision: open reports, and appeals without an answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final

from django.db.models import Count, Min, Q, QuerySet

from games.accounts.models import Sanction
from games.common.prepared import first_row, in_all, prepared
from games.moderation.models import Report
from games.moderation.reports import TARGETS

MAX_LISTED: Final = 5


@dataclass(frozen=True)
class ReportRow:
    """A report without an answer."""

    component: ClassVar[str] = "OpenReport"

    report: int
    cause: str
    target: str
    about: Annotated[str, "The person responsible for what was reported; may be empty."]
    since: datetime


@dataclass(frozen=True)
class ObjectionRow:
    """An appeal without an answer."""

    component: ClassVar[str] = "OpenObjection"

    measure: int
    kind: str
    person: str
    since: datetime


@dataclass(frozen=True)
class OpenCases:
    """What waits for an admin's decision; the oldest five of each are listed."""

    component: ClassVar[str] = "OpenDecisions"

    reports: int = 0
    reports_since: datetime | None = None
    objections: int = 0
    objections_since: datetime | None = None
    listed_reports: list[ReportRow] = field(default_factory=list)
    listed_objections: list[ObjectionRow] = field(default_factory=list)


OPEN_REPORTS: Final = Q(state=Report.State.OPEN)
OPEN_OBJECTIONS: Final = ~Q(objection="") & Q(answer="")


def count_open_cases() -> tuple[int, datetime | None, int, datetime | None]:
    """Return the number of open reports, since when, and the number of open appeals."""
    none: dict[str, Any] = {"n": 0, "since": None}
    found, objected = first_row(_reports()) or none, first_row(_appeals()) or none
    return found["n"], found["since"], objected["n"], objected["since"]


@prepared
def _reports() -> QuerySet[Report, dict[str, Any]]:
    return in_all(Report.objects.filter(OPEN_REPORTS), n=Count("pk"), since=Min("created"))


@prepared
def _appeals() -> QuerySet[Sanction, dict[str, Any]]:
    return in_all(Sanction.objects.filter(OPEN_OBJECTIONS), n=Count("pk"), since=Min("objected_at"))


def collect_open_cases() -> OpenCases:
    """Return what waits now."""
    counts = count_open_cases()
    reports, _, objections, _ = counts
    oldest = Report.objects.filter(OPEN_REPORTS).select_related("about__player").order_by("created", "pk")[:MAX_LISTED]
    objected = (
        Sanction.objects.filter(OPEN_OBJECTIONS).select_related("user__player").order_by("objected_at")[:MAX_LISTED]
    )
    return OpenCases(
        *counts,
        [_report(each) for each in oldest] if reports else [],
        [
            ObjectionRow(each.pk, each.get_kind_display(), _name(each.user), each.objected_at or each.created)
            for each in objected
        ]
        if objections
        else [],
    )


def _name(user: Any) -> str:
    """Return the name of a row's user, who was fetched with the player."""
    player = getattr(user, "player", None)
    return player.name if player else str(user)


def _report(report: Report) -> ReportRow:
    target = TARGETS.get(report.target)
    return ReportRow(
        report.pk,
        report.get_cause_display(),
        str(target.title) if target else report.target,
        _name(report.about) if report.about else "",
        report.created,
    )
