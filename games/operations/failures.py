"""What went wrong lately: faults of bots and of the platform, e-mails that did not go out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Max, Min, Q

from games.accounts import mail
from games.models import BotVersion, Fault, Incident, Notice
from games.play import faults

ONE_DAY: Final = timedelta(hours=24)
ONE_HOUR: Final = timedelta(hours=1)
MAX_BOT_FAULTS: Final = 20
UNSURE_SHOWN: Final = 5
QUARANTINED_SHOWN: Final = 5
FAULTS_LATELY: Final = 3  # of a version within an hour, from which on it is shown


@dataclass(frozen=True)
class BotFaults:
    """How often a version failed in one way within a day, and within the last hour: since `first` then."""

    version: str
    bot: str
    plays: bool
    kind: str
    label: str
    times: int
    last_hour: int
    first: datetime | None


@dataclass(frozen=True)
class Quarantined:
    """A version that plays no more until an admin lets it out, and why."""

    version: str
    bot: str
    reason: str


@dataclass(frozen=True)
class MailFailures:
    """E-mails that wait for the mail server, may or may not have been sent, or were given up within a week."""

    waiting: int = 0
    waiting_since: datetime | None = None
    trouble: str = ""
    unsure: int = 0
    failed: int = 0
    unsettled_since: datetime | None = None
    unsure_ids: list[int] = field(default_factory=list)


def of_bots(now: datetime) -> list[BotFaults]:
    """The faults of a day that may be told of by now, by version and kind; the commonest first."""
    lately = Q(at__gt=now - ONE_HOUR)
    told = (
        faults.tellable(Fault.objects.filter(at__gt=now - ONE_DAY)).exclude(kind=Fault.Kind.INFRASTRUCTURE).order_by()
    )
    names = ("bot_version__bot__name", "bot_version__number", "bot_version__state", "kind")
    counts = {"n": Count("pk"), "hour": Count("pk", lately), "first": Min("at", filter=lately)}
    rows = told.values(*names).annotate(**counts).order_by("-n", "bot_version__bot__name", "kind")[:MAX_BOT_FAULTS]
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
        for row in rows
    ]


def failing(faults: Iterable[BotFaults]) -> dict[str, list[BotFaults]]:
    """The versions that still play and fail time and again, each with its faults of the last hour."""
    versions: dict[str, list[BotFaults]] = {}
    for each in faults:
        if each.plays and each.last_hour:
            versions.setdefault(each.version, []).append(each)
    return {
        version: kinds for version, kinds in versions.items() if sum(each.last_hour for each in kinds) >= FAULTS_LATELY
    }


def in_quarantine() -> list[Quarantined]:
    """The versions in quarantine whose bots are not stopped as a whole, the newest first."""
    found = BotVersion.objects.filter(state=BotVersion.State.QUARANTINED, bot__stopped="").select_related("bot")
    return [Quarantined(str(each), each.bot.name, each.reason) for each in found.order_by("-pk")[:QUARANTINED_SHOWN]]


def of_the_platform(now: datetime) -> dict[str, tuple[int, datetime]]:
    """How often within a day by cause (`Incident.Cause`), and when last."""
    rows = (
        Incident.objects.filter(at__gt=now - ONE_DAY).order_by().values("cause").annotate(n=Count("pk"), last=Max("at"))
    )
    return {row["cause"]: (row["n"], row["last"]) for row in rows}


def count_mails() -> tuple[dict[str, int], datetime | None]:
    """How many wait, are unsure and were given up; and since when the oldest waits."""
    due = mail.waiting_for_retry().aggregate(n=Count("pk"), since=Min("created"))
    unsure = Q(mail=Notice.Mail.UNSURE)
    rest = mail.unsure_or_given_up().aggregate(unsure=Count("pk", unsure), n=Count("pk"))
    return {"waiting": due["n"], "unsure": rest["unsure"], "failed": rest["n"] - rest["unsure"]}, due["since"]


def of_mail(now: datetime) -> MailFailures:  # noqa: ARG001  the clock is asked where weeks are counted
    """What the mail server owes people."""
    due = mail.waiting_for_retry().aggregate(n=Count("pk"), since=Min("created"))
    last = mail.waiting_for_retry().exclude(trouble="").order_by("-mail_at").values_list("trouble", flat=True).first()
    unsure = Q(mail=Notice.Mail.UNSURE)
    rest = mail.unsure_or_given_up().aggregate(unsure=Count("pk", unsure), n=Count("pk"), since=Min("mail_at"))
    ids = mail.unsure_or_given_up().filter(unsure).order_by("-mail_at").values_list("pk", flat=True)
    return MailFailures(
        due["n"],
        due["since"],
        last or "",
        rest["unsure"],
        rest["n"] - rest["unsure"],
        rest["since"],
        list(ids[:UNSURE_SHOWN]),
    )
