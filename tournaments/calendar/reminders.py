"""Reminders of leagues: before a match begins, and before the deadline of a match that is not played."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse

from games.accounts import reminders
from games.accounts.models import Notice
from games.accounts.reminders import MAX_OFFSET, Moment
from games.common import clock
from games.common.prepared import prepared
from games.models import Game, Seat
from scorebook_games.presentation.coded_text import written
from tournaments.calendar.subjects import MATCH_SOON, ROUND_CLOSES
from tournaments.seasons.models import BoardPlayer, Entrant, Match, MatchEntrant, Round, Season

MAX_LEAD_TIME = timedelta(minutes=MAX_OFFSET)


def notify_due() -> int:
    """Send all reminders that are due; return how many were new."""
    return reminders.notify_due_reminders(moment for moment, _season in _all_moments())


def next_reminders(season_ids: Collection[int]) -> dict[tuple[int, datetime], set[int]]:
    """Return (season, time) → the ids of the users who are reminded then, for the next reminders of these seasons.
    Three queries."""
    moments = list(_all_moments(seasons=list(season_ids)))
    seasons = {moment.key: season for moment, season in moments}
    found: dict[tuple[int, datetime], set[int]] = defaultdict(set)
    for at, moment in reminders.upcoming_reminders(moment for moment, _season in moments):
        found[seasons[moment.key], at].add(moment.user)
    return dict(found)


def _all_moments(**which: Any) -> Iterator[tuple[Moment, int]]:
    """Yield the moments at which people are to be reminded, with the season of each: of matches that they play, and of
    those in which they play for a team."""
    for of_teams in (False, True):
        for row in _beginning_matches(of_teams, **which):
            match = row.match
            assert match.begins_at is not None
            key = f"soon:{match.pk}:{int(match.begins_at.timestamp())}"
            yield _reminder_moment(row, MATCH_SOON, key, match.begins_at, match.timed_at or match.round.opened_at)
        for row in _closing_rounds(of_teams, **which):
            round = row.match.round
            assert round.closes_at is not None
            key = f"closes:{row.match_id}:{int(round.closes_at.timestamp())}"
            yield _reminder_moment(row, ROUND_CLOSES, key, round.closes_at, round.opened_at)


@prepared
def _beginning_matches(of_teams: bool, *, seasons: list[int] | None = None) -> QuerySet[Any]:
    """Return matches that have a time and have not begun."""
    now = clock.now()
    soon = Q(match__begins_at__gt=now, match__begins_at__lte=now + MAX_LEAD_TIME)
    return _people(of_teams, seasons).filter(soon, match__finished_at=None)


@prepared
def _closing_rounds(of_teams: bool, *, seasons: list[int] | None = None) -> QuerySet[Any]:
    """Return matches without a time of their own whose round ends soon, if a game of theirs waits for the person's
    move."""
    waits = Seat.objects.filter(
        game__match_game__match=OuterRef("match"),
        player=OuterRef("player" if of_teams else "entrant__player"),
        left="",
        game__status=Game.Status.PLAYING,
        game__to_act__contains=[F("seat")],
    )
    now = clock.now()
    soon = Q(match__round__closes_at__gt=now, match__round__closes_at__lte=now + MAX_LEAD_TIME)
    return _people(of_teams, seasons).filter(Exists(waits), soon, match__begins_at=None, match__finished_at=None)


def _people(of_teams: bool, seasons: list[int] | None) -> QuerySet[Any]:
    people: QuerySet[Any] = _players_of_teams_to_remind() if of_teams else _people_to_remind()
    return people if seasons is None else people.filter(match__round__division__season__in=seasons)


IN_OPEN_ROUNDS: Final = Q(
    entrant__status=Entrant.Status.IN,
    match__round__status=Round.Status.OPEN,
    match__round__division__season__status=Season.Status.RUNNING,
)


def _people_to_remind() -> QuerySet[MatchEntrant]:
    """Return the people with an account who play in open rounds of running seasons."""
    rows = MatchEntrant.objects.filter(IN_OPEN_ROUNDS, entrant__player__user__isnull=False)
    return rows.select_related("entrant__player", "match__round__division__season__league")


def _players_of_teams_to_remind() -> QuerySet[BoardPlayer]:
    """Return the people with an account who play at a board there."""
    rows = BoardPlayer.objects.filter(IN_OPEN_ROUNDS, player__user__isnull=False)
    return rows.select_related("player", "match__round__division__season__league")


def _reminder_moment(
    row: MatchEntrant | BoardPlayer, subject: str, key: str, at: datetime, known_at: datetime
) -> tuple[Moment, int]:
    player = row.player if isinstance(row, BoardPlayer) else row.entrant.player
    user = player.user_id if player else None
    assert user is not None
    season = row.match.round.division.season
    url = reverse("match", args=[row.match_id])
    return Moment(
        user, subject, key=key, at=at, known_at=known_at, sentences=(written(str(season)),), url=url
    ), season.pk


def withdraw_reminders(match: Match) -> None:
    """Withdraw the reminders of a time at which `match` no longer begins."""
    Notice.objects.filter(subject=MATCH_SOON, key__startswith=f"soon:{match.pk}:").delete()
