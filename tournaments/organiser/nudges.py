"""An organiser reminds people to play their match, at most once a day for a match. Each reminder is an event of the
season."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts import notices
from games.common import clock
from games.common.errors import DomainError
from games.common.prepared import prepared
from games.models import Game, Player, Seat
from tournaments.activity.subjects import NUDGE, round_of_season
from tournaments.entries import permissions as entry_permissions
from tournaments.seasons.events.games import MatchNudged
from tournaments.seasons.models import Entrant, Match, MatchEntrant, MatchGame, OrganiserAction, TeamMember
from tournaments.seasons.notes import audit_payload
from tournaments.seasons.stream import append_events, lock_season

NUDGE_INTERVAL: Final = timedelta(days=1)


def nudge_match(*, match: Match, user: User | AnonymousUser, note: str = "") -> list[Player]:
    """Remind those for whom `match` waits, with an optional note; return them. Raises `DomainError`: not_organiser
    (403), bad_note (400), match_over, nobody_to_nudge, nudged_lately (409)."""
    now = clock.now()
    with transaction.atomic():
        locked = lock_season(match.round.division.season)
        entry_permissions.check_may_run(locked, user)
        waiting = with_games(Match.objects.filter(pk=match.pk)).select_related("round").get()
        if waiting.finished_at is not None or waiting.round.status != "open":
            raise DomainError(409, "match_over", _("This match is over."))
        people = awaited_people(waiting)
        if not people:
            raise DomainError(
                409, "nobody_to_nudge", _("No person has to play in this match now, so nobody can be reminded.")
            )
        if recently_nudged({match.pk: locked.stream_id}, now):
            raise DomainError(
                409,
                "nudged_lately",
                _("These players were already reminded within the last day. You can remind them again tomorrow."),
            )
        version = append_events(locked.stream, [MatchNudged(match.pk, audit_payload(locked, user, note))], now)
        notices.notify_users(
            [player.user_id for player in people if player.user_id is not None],
            NUDGE,
            key=f"nudge:{match.pk}:{version}",
            sentences=[round_of_season(str(locked), waiting.round.number)],
            url=reverse("match", args=[match.pk]),
        )
    return people


def with_games(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Return `matches` with their entrants and games. Four more queries."""
    entrants = MatchEntrant.objects.select_related("entrant__player__bot_version")
    seats = Seat.objects.select_related("player")
    games = MatchGame.objects.select_related("game").prefetch_related(Prefetch("game__seats", seats))
    return matches.prefetch_related(Prefetch("entrants", entrants), Prefetch("games", games))


def awaited_people(match: Match) -> list[Player]:
    """Return the people for whom a match (of `with_games`) waits: those to move. Before a game has begun, these are all
    people of the match."""
    sides = [side.entrant for side in match.entrants.all() if side.entrant.status == Entrant.Status.IN]
    people = [side.player for side in sides if side.player.user_id is not None]
    if any(side.player.is_team for side in sides):
        people = _people_of_teams(match, sides)
    on = [game.game for game in match.games.all() if game.game.status == Game.Status.PLAYING]
    if not on or any(game.begins_at for game in on):
        return people
    to_move = {seat.player_id for game in on for seat in game.seats.all() if seat.seat in game.to_act}
    return [player for player in people if player.pk in to_move]


def _people_of_teams(match: Match, sides: Sequence[Entrant]) -> list[Player]:
    """Return the people at the boards of a match; before they are known, the captains who have named no line-up."""
    rows = match.boards.filter(entrant__in=sides, player__user__isnull=False).select_related("player")
    if players := [row.player for row in rows if row.player is not None]:
        return players
    named = match.sealed_lineups.values("entrant")
    asked = TeamMember.objects.filter(entrant__in=sides, is_captain=True, player__user__isnull=False)
    return [row.player for row in asked.exclude(entrant__in=named).select_related("player")]


def recently_nudged(matches: dict[int, int], now: datetime) -> dict[int, OrganiserAction]:
    """Return match → reminder for those of `matches` (id → id of the season's stream) whose players were reminded
    within the last day. One query."""
    return {act.match_id: act for act in _nudges(matches=list(matches), now=now) if act.match_id is not None}


@prepared
def _nudges(*, matches: list[int], now: datetime) -> QuerySet[OrganiserAction]:
    nudges = OrganiserAction.objects.filter(what=MatchNudged.type, match__in=matches, at__gt=now - NUDGE_INTERVAL)
    return nudges.select_related("by__player")


def player_names(players: Iterable[Player]) -> str:
    """Return the names, as “Martha, Laura”."""
    return ", ".join(player.name for player in players)
