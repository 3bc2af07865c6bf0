"""What of leagues concerns the house as a whole: what clubs and seasons add to the account of
`games.operations.status`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from django.db.models import Count, Min, Q, QuerySet
from django.utils.translation import gettext as _

from games.common import clock
from games.operations import status as system_status
from games.operations.failures import UNSURE_SHOWN, Mails
from games.operations.queues import Queue
from games.operations.status import Concern, Condition
from tournaments.clubs import invitation_mail
from tournaments.director import director
from tournaments.models import Delivery, Invitation, MatchGame, Season, Webhook

HOOKS_SHOWN: Final = 5
SEASONS_SHOWN: Final = 5
GOING_ON: Final = (Season.Status.RUNNING, Season.Status.PAUSED)


@dataclass(frozen=True)
class HookConcern:
    """A webhook whose receiver does not take its messages, or which was switched off for that. `host` is where it goes,
    without the rest of the address, which may hold a secret; `trouble` what came of the last try."""

    webhook: int
    whose: str
    host: str
    off: str
    off_label: str
    failures: int
    since: datetime
    waiting: int
    trouble: str


@dataclass(frozen=True)
class Hooks:
    """Webhooks that are on, those of them that fail, and those switched off for failing; `listed` the longest of both.
    `waiting` messages are due."""

    on: int = 0
    failing: int = 0
    off: int = 0
    listed: list[HookConcern] = field(default_factory=list)


@dataclass(frozen=True)
class SeasonLine:
    """A season under way, by the name that admins' actions know it by."""

    season: str
    title: str
    club: str
    status: str
    label: str
    paused_at: datetime | None


@dataclass(frozen=True)
class Whole(Condition):
    """The account of the house with its leagues."""

    invitations: Mails = field(default_factory=Mails)
    hooks: Hooks = field(default_factory=Hooks)
    seasons: list[SeasonLine] = field(default_factory=list)
    seasons_going: int = 0


def take() -> Whole:
    """Ask the database how things stand now."""
    now = system_status.take()
    going = Season.objects.filter(status__in=GOING_ON)
    facts = {
        **vars(now),
        "queues": [*now.queues, *due_queues(now.at)],
        "stuck_games": placed(now.stuck_games),
    }
    return Whole(
        **facts,
        invitations=unsent(),
        hooks=hooks(),
        seasons=[
            _line(each) for each in going.select_related("league__club").order_by("status", "-pk")[:SEASONS_SHOWN]
        ],
        seasons_going=going.count(),
    )


def due_queues(now: datetime) -> list[Queue]:
    """Due work of leagues: results to be counted, invitations to be sent, messages to webhooks."""
    invitations = Invitation.objects.filter(mail=Invitation.Mail.DUE, mail_at__lte=now)
    messages = Delivery.objects.filter(Q(webhook__retry_at=None) | Q(webhook__retry_at__lte=now), state="due")
    return [
        _due("results", _("Results to be counted"), director.due_results(), "game__finished_at", now),
        _due("invitations", _("Invitations by e-mail"), invitations, "mail_at", now),
        _due("webhooks", _("Messages to webhooks"), messages.filter(due_at__lte=now), "due_at", now),
    ]


def _due(name: str, label: str, rows: QuerySet[Any], since: str, now: datetime) -> Queue:
    found = rows.order_by().aggregate(n=Count("pk"), oldest=Min(since))
    age = max((now - found["oldest"]).total_seconds(), 0.0) if found["oldest"] else None
    return Queue(name, label, "due", found["n"], age)


def unsent_counts() -> dict[str, Any]:
    """How many invitations by e-mail wait, are unsure and were given up; and since when the oldest of each does."""
    due = invitation_mail.waiting().aggregate(waiting=Count("pk"), waiting_since=Min("created"))
    unsure = Q(mail=Invitation.Mail.UNSURE)
    rest = {"unsure": Count("pk", unsure), "failed": Count("pk", ~unsure), "unsettled_since": Min("mail_at")}
    return due | invitation_mail.unsettled().aggregate(**rest)


def unsent() -> Mails:
    """Invitations by e-mail that did not go out."""
    last = invitation_mail.waiting().exclude(trouble="").order_by("-mail_at").values_list("trouble", flat=True).first()
    unsure = invitation_mail.unsettled().filter(mail=Invitation.Mail.UNSURE)
    ids = unsure.order_by("-mail_at").values_list("pk", flat=True)
    return Mails(trouble=last or "", unsure_ids=list(ids[:UNSURE_SHOWN]), **unsent_counts())


def in_trouble() -> QuerySet[Webhook]:
    """The webhooks that fail, and those that were switched off for failing or by an admin within days."""
    lately = Q(failing_since__gt=clock.now() - system_status.GIVEN_UP_SHOWN)
    off = Q(off__in=(Webhook.Off.SILENT, Webhook.Off.GONE, Webhook.Off.ADMIN)) & lately
    return Webhook.objects.filter(Q(off="", failures__gt=0) | off)


def hook_counts() -> dict[str, int]:
    """How many webhooks are on, how many of them fail, and how many were switched off for failing."""
    return Webhook.objects.aggregate(
        on=Count("pk", Q(off="")),
        failing=Count("pk", Q(off="", failures__gt=0)),
        off=Count("pk", Q(pk__in=in_trouble().exclude(off="").values("pk"))),
    )


def hooks() -> Hooks:
    """How webhooks do."""
    waiting = Count("deliveries", Q(deliveries__state=Delivery.State.DUE))
    worst = (
        in_trouble().select_related("club", "user__player").annotate(waiting=waiting).order_by("off", "failing_since")
    )
    listed = list(worst[:HOOKS_SHOWN])
    tried = (
        Delivery.objects.filter(webhook__in=listed, tries__gt=0)
        .order_by("webhook_id", "-claimed_at")
        .distinct("webhook_id")
    )
    last = {message.webhook_id: message.last for message in tried}
    return Hooks(**hook_counts(), listed=[_concern(hook, last.get(hook.pk)) for hook in listed])


def _concern(hook: Any, last: dict[str, Any] | None) -> HookConcern:
    player = getattr(hook.user, "player", None)
    return HookConcern(
        hook.pk,
        hook.club.name if hook.club else getattr(player, "name", "") or str(hook.user),
        urlsplit(hook.url).netloc.rpartition("@")[2],
        hook.off,
        str(hook.get_off_display()),
        hook.failures,
        hook.failing_since or hook.created,
        hook.waiting,
        last["words"] if last else "",
    )


def _line(season: Season) -> SeasonLine:
    club = season.league.club.name
    return SeasonLine(season.path, str(season), club, season.status, season.get_status_display(), season.paused_at)


def placed(games: Iterable[Concern]) -> list[Concern]:
    """The same games, with where in a league each is played."""
    listed = list(games)
    season = "match__round__division__season__league__club"
    rows = MatchGame.objects.filter(game__public_id__in=[each.game for each in listed]).select_related("game", season)
    places = {row.game.public_id: place_of(row) for row in rows}
    return [replace(each, place=places.get(each.game, "")) for each in listed]


def place_of(row: MatchGame) -> str:
    """Lantern Street Card Club, Plates League, Autumn 2026, round 3, table 2."""
    number, season = row.match.round.number, row.match.round.division.season
    words = _("{club}, {season}, round {round}, table {table}")
    return words.format(club=season.league.club, season=season, round=number, table=row.match.table)
