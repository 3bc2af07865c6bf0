"""What clubs and seasons add to the platform's status (`games.operations.status`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common import clock
from games.common.dataclass_serializer import UNSENT
from games.common.outbox import SendState
from games.common.prepared import first_row, in_all, prepared
from games.operations import queues
from games.operations import status as system_status
from games.operations.failures import MailFailures, counts_of, mails_of
from games.operations.queues import Due, Queue
from games.operations.status import StuckGame, SystemStatus
from tournaments.clubs.invitation_mail import INVITATION_MAILS
from tournaments.director import record_results
from tournaments.formats import FORMATS
from tournaments.scoring.tie_breaks import TIE_BREAKS
from tournaments.seasons import setting
from tournaments.seasons.models import MatchGame, Season
from tournaments.webhooks.delivery import MESSAGES
from tournaments.webhooks.models import Delivery, Webhook

WEBHOOKS_SHOWN: Final = 5
SEASONS_SHOWN: Final = 5
GOING_ON: Final = (Season.Status.RUNNING, Season.Status.PAUSED)


@dataclass(frozen=True)
class FailingWebhook:
    """A webhook whose address does not accept messages, or that was switched off recently.

    `host` is the host of its address; the rest may hold a secret.
    """

    webhook: int
    whose: Annotated[str, "The club or person it belongs to."]
    host: str
    off: Annotated[str, "silent, gone or admin; empty while the webhook is active."]
    off_label: Annotated[str, UNSENT]
    failures: Annotated[int, "Consecutive failures."]
    since: datetime
    waiting: int
    trouble: Annotated[str, "Result of the last attempt."]


@dataclass(frozen=True)
class WebhookStatus:
    """The number of webhooks that are on, fail, or were switched off for failing; the five that failed longest."""

    on: int = 0
    failing: int = 0
    off: int = 0
    listed: list[FailingWebhook] = field(default_factory=list)


@dataclass(frozen=True)
class SeasonStatusRow:
    """A season in progress."""

    season: Annotated[str, "club/league/season, as in actions."]
    title: str
    club: str
    status: Annotated[str, "running or paused."]
    label: Annotated[str, UNSENT]
    paused_at: datetime | None


@dataclass(frozen=True)
class LeagueStatus(SystemStatus):
    """The platform's status with that of its leagues."""

    invitations: Annotated[MailFailures, "Invitations sent by email."]
    hooks: WebhookStatus
    seasons: Annotated[list[SeasonStatusRow], "Five of the seasons in progress, paused ones first."]
    seasons_going: Annotated[int, "Number of seasons in progress."]
    broken_packages: Annotated[dict[str, str], UNSENT]


def collect_status() -> LeagueStatus:
    """Collect the present status from the database."""
    now = system_status.collect_status()
    with_leagues = replace(now, queues=[*now.queues, *due_work(now.at)], stuck_games=with_places(now.stuck_games))
    return LeagueStatus(
        **vars(with_leagues),
        invitations=unsent_invitations(),
        hooks=webhook_status(),
        seasons=[_season_status_row(each) for each in _going("shown")],
        seasons_going=_going("all").count(),
        broken_packages=broken_packages(),
    )


@prepared
def _going(which: str) -> QuerySet[Season]:
    going = Season.objects.filter(status__in=GOING_ON)
    if which == "all":
        return going.order_by()
    return going.select_related("league__club").order_by("status", "-pk")[:SEASONS_SHOWN]


@prepared
def _names_needed() -> QuerySet[Season, tuple[str, list[str]]]:
    going = Season.objects.filter(status__in=GOING_ON).order_by()
    return going.values_list("format", "tie_breaks").distinct()


def broken_packages() -> dict[str, str]:
    """Return what is wrong with formats, tie-breaks and settings of packages, by name: those that could not be loaded
    in this process, and those that seasons in progress need and that are not installed."""
    needed = {name for format, tie_breaks in _names_needed() for name in (format, *tie_breaks)}
    sentence = _("Seasons in progress need it, and it is not installed here. They wait. Install its package again.")
    missing = dict.fromkeys(sorted(needed - FORMATS.keys() - TIE_BREAKS.keys()), sentence)
    return {**missing, **FORMATS.broken, **TIE_BREAKS.broken, **setting.BROKEN}


def due_work(now: datetime) -> list[Queue]:
    """Return the due work of leagues: results to record, invitations to send, messages to webhooks."""
    return queues.due_queues(DUE, now)


def due_messages() -> QuerySet[Delivery]:
    return MESSAGES.due().filter(Q(webhook__retry_at=None) | Q(webhook__retry_at__lte=clock.now()))


DUE: Final[Due] = {
    "results": (gettext_lazy("Results to record"), record_results.due_results, "game__finished_at"),
    "invitations": (gettext_lazy("Invitations by email"), INVITATION_MAILS.due, "send_at"),
    "webhooks": (gettext_lazy("Messages to webhooks"), due_messages, "send_at"),
}


def unsent_counts() -> dict[str, Any]:
    """Return the counts of `unsent_invitations`."""
    return counts_of(INVITATION_MAILS)


def unsent_invitations() -> MailFailures:
    """Return the invitations that could not be sent by email."""
    return mails_of(INVITATION_MAILS)


def failing_webhooks() -> QuerySet[Webhook]:
    """Return the webhooks that fail, and those that were recently switched off for failing or by an admin."""
    lately = Q(failing_since__gt=clock.now() - system_status.GIVEN_UP_SHOWN_FOR)
    off = Q(off__in=(Webhook.Off.SILENT, Webhook.Off.GONE, Webhook.Off.ADMIN)) & lately
    return Webhook.objects.filter(Q(off="", failures__gt=0) | off)


def webhook_counts() -> dict[str, int]:
    """Return how many webhooks are on, how many of them fail, and how many were switched off."""
    return {"on": 0, "failing": 0, "off": 0, **(first_row(_webhook_counts()) or {})}


@prepared
def _webhook_counts() -> QuerySet[Webhook, dict[str, int]]:
    on, failing = Count("pk", Q(off="")), Count("pk", Q(off="", failures__gt=0))
    off = Count("pk", Q(pk__in=failing_webhooks().exclude(off="").values("pk")))
    return in_all(Webhook.objects.all(), on=on, failing=failing, off=off)


def webhook_status() -> WebhookStatus:
    """Return the status of all webhooks."""
    counts = webhook_counts()
    if not counts["failing"] and not counts["off"]:
        return WebhookStatus(**counts, listed=[])
    waiting = Count("deliveries", Q(deliveries__send_state=SendState.DUE))
    worst = (
        failing_webhooks()
        .select_related("club", "user__player")
        .annotate(waiting=waiting)
        .order_by("off", "failing_since")
    )
    listed = list(worst[:WEBHOOKS_SHOWN])
    tried = (
        Delivery.objects.filter(webhook__in=listed, tries__gt=0)
        .order_by("webhook_id", "-log__-1__at")
        .distinct("webhook_id")
    )
    last = {message.webhook_id: message.last for message in tried}
    return WebhookStatus(**counts, listed=[_failing_webhook(hook, last.get(hook.pk)) for hook in listed])


def _failing_webhook(hook: Any, last: dict[str, Any] | None) -> FailingWebhook:
    player = getattr(hook.user, "player", None)
    return FailingWebhook(
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


def _season_status_row(season: Season) -> SeasonStatusRow:
    club = season.league.club.name
    return SeasonStatusRow(season.path, str(season), club, season.status, season.get_status_display(), season.paused_at)


def with_places(games: Iterable[StuckGame]) -> list[StuckGame]:
    """Return the same games, each with its place in a league."""
    listed = list(games)
    places = {row.game.public_id: game_place_text(row) for row in _places(games=[each.game for each in listed])}
    return [replace(each, place=places.get(each.game, "")) for each in listed]


@prepared
def _places(*, games: list[str]) -> QuerySet[MatchGame]:
    rows = MatchGame.objects.filter(game__public_id__in=games)
    return rows.select_related("game", "match__round__division__season__league__club")


def game_place_text(row: MatchGame) -> str:
    """Return a game's place, as “Lantern Street Card Club, Plates League, Autumn 2026, round 3, table 2”."""
    number, season = row.match.round.number, row.match.round.division.season
    words = _("{club}, {season}, round {round}, table {table}")
    return words.format(club=season.league.club, season=season, round=number, table=row.match.table)
