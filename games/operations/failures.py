"""Recent failures: faults of bots and of the platform, emails that were not sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Final

from django.db.models import Count, Max, Min, Q, QuerySet

from games.accounts import mail
from games.common.models import Incident
from games.common.outbox import Outbox, SendState
from games.common.prepared import first_row, in_all, prepared
from games.models import BotVersion
from games.play import faults
from games.play.models import Fault

ONE_DAY: Final = timedelta(hours=24)
ONE_HOUR: Final = timedelta(hours=1)
MAX_BOT_FAULTS: Final = 20
UNSURE_SHOWN: Final = 5
QUARANTINED_SHOWN: Final = 5
UNSURE: Final = Q(send_state=SendState.UNSURE)
FAULTS_PER_HOUR_LIMIT: Final = 3  # of a version within an hour, from which it is shown


@dataclass(frozen=True)
class BotFaults:
    """How often a version failed in one way within 24 hours."""

    version: str
    bot: str
    plays: bool
    kind: str
    label: str
    times: int
    last_hour: int
    first: Annotated[datetime | None, "Within the last hour."]


@dataclass(frozen=True)
class Quarantined:
    """A version of a bot in quarantine, and why."""

    version: str
    bot: str
    reason: str


@dataclass(frozen=True)
class MailFailures:
    """Emails that were not sent.

    They wait for the mail server, may or may not have been sent, or were given up within a week.
    """

    component: ClassVar[str] = "Mails"

    waiting: int = 0
    waiting_since: datetime | None = None
    trouble: Annotated[str, "The mail server's last answer."] = ""
    unsure: int = 0
    failed: int = 0
    unsettled_since: datetime | None = None
    unsure_ids: list[int] = field(default_factory=list)


def of_bots(now: datetime) -> list[BotFaults]:
    """Return the faults of a day that may be shown by now, by version and kind, the most frequent first."""
    return [
        BotFaults(
            f"{row['bot_version__bot__name']} v{row['bot_version__number']}",
            row["bot_version__bot__name"],
            row["bot_version__state"] == BotVersion.State.PASSED,
            row["kind"],
            str(Fault.Kind(row["kind"]).label),
            row["n"],
            row["hour"],
            row["first"],
        )
        for row in _faults_of_bots(MAX_BOT_FAULTS, now=now)
    ]


@prepared
def _faults_of_bots(count: int, *, now: datetime) -> QuerySet[Any, Any]:
    lately = Q(at__gt=now - ONE_HOUR)
    visible = faults.tellable(Fault.objects.filter(at__gt=now - ONE_DAY))
    visible = visible.exclude(kind=Fault.Kind.INFRASTRUCTURE).order_by()
    names = ("bot_version__bot__name", "bot_version__number", "bot_version__state", "kind")
    counts = {"n": Count("pk"), "hour": Count("pk", lately), "first": Min("at", filter=lately)}
    found: QuerySet[Any, Any] = visible.values(*names).annotate(**counts)
    return found.order_by("-n", "bot_version__bot__name", "kind")[:count]


def failing(faults: Iterable[BotFaults]) -> dict[str, list[BotFaults]]:
    """Return the versions that still play and fail repeatedly, each with its faults of the last hour."""
    versions: dict[str, list[BotFaults]] = {}
    for fault in faults:
        if fault.plays and fault.last_hour:
            versions.setdefault(fault.version, []).append(fault)
    return {
        version: kinds
        for version, kinds in versions.items()
        if sum(kind.last_hour for kind in kinds) >= FAULTS_PER_HOUR_LIMIT
    }


def in_quarantine() -> list[Quarantined]:
    """Return the versions in quarantine whose bots are not stopped as a whole, the newest first."""
    return [Quarantined(str(each), each.bot.name, each.reason) for each in _quarantined(QUARANTINED_SHOWN)]


@prepared
def _quarantined(count: int) -> QuerySet[BotVersion]:
    found = BotVersion.objects.filter(state=BotVersion.State.QUARANTINED, bot__stopped="").select_related("bot")
    return found.order_by("-pk")[:count]


def of_the_platform(now: datetime) -> dict[str, tuple[int, datetime]]:
    """Return by cause (`Incident.Cause`) how often the platform failed within a day, and when last."""
    return {row["cause"]: (row["n"], row["last"]) for row in _causes(now=now)}


@prepared
def _causes(*, now: datetime) -> QuerySet[Any, Any]:
    lately = Incident.objects.filter(at__gt=now - ONE_DAY).order_by()
    return lately.values("cause").annotate(n=Count("pk"), last=Max("at"))


def count_mails() -> dict[str, Any]:
    """Return the counts of `of_mail`, in two queries."""
    return counts_of(mail.NOTICE_MAILS)


def of_mail() -> MailFailures:
    """Return the emails that the mail server has not taken yet."""
    return mails_of(mail.NOTICE_MAILS)


def counts_of(outbox: Outbox) -> dict[str, Any]:
    """Return how many emails wait, are unsure and were given up, and since when the oldest of them."""
    none = {"waiting": 0, "waiting_since": None, "unsure": 0, "failed": 0, "unsettled_since": None}
    return none | (first_row(_waiting(outbox)) or {}) | (first_row(_unsettled(outbox)) or {})


@prepared
def _waiting(outbox: Outbox) -> QuerySet[Any, dict[str, Any]]:
    return in_all(outbox.waiting_for_retry(), waiting=Count("pk"), waiting_since=Min("created"))


@prepared
def _unsettled(outbox: Outbox) -> QuerySet[Any, dict[str, Any]]:
    rest = {"unsure": Count("pk", UNSURE), "failed": Count("pk", ~UNSURE), "unsettled_since": Min("send_at")}
    return in_all(outbox.unsure_or_given_up(), **rest)


def by_state(counts: Mapping[str, Any]) -> dict[str, int]:
    """Return the sum of these counts for each state."""
    return {state: counts[state] for state in ("waiting", "unsure", "failed")}


def mails_of(outbox: Outbox) -> MailFailures:
    """Return the outbox's counts, with the mail server's last answer and the unsure ones. At most four queries."""
    counts = counts_of(outbox)
    trouble, unsure = "", []
    if counts["waiting"]:
        refused = outbox.waiting_for_retry().exclude(send_error="").order_by("-send_at")
        trouble = refused.values_list("send_error", flat=True).first() or ""
    if counts["unsure"]:
        ids = outbox.unsure_or_given_up().filter(UNSURE).order_by("-send_at").values_list("pk", flat=True)
        unsure = list(ids[:UNSURE_SHOWN])
    return MailFailures(trouble=trouble, unsure_ids=unsure, **counts)
