"""The timeline of a season, read from its stream a page at a time and put into words by `describe`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.db.models import QuerySet

from games.common.prepared import prepared
from games.eventlog import store as eventlog
from games.models import Player
from tournaments.activity import describe, lookups
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.registry import read_event
from tournaments.seasons.models import Division, Entrant, Match, MatchEntrant, MatchGame, Note, Round, Season

EVENTS_PER_PAGE: Final = 24
# What a line about a game needs, and what decides whether its result may be shown.
GAME_EVENTS: Final = (
    "number",
    "game__public_id",
    "game__status",
    "game__terms",
    "game__finished_at",
    "game__deal__revealed_at",
    "match__table",
    "match__round__number",
    "match__round__division__number",
)


def timeline_entries(season: Season, until: int | None = None) -> tuple[list[describe.TimelineEntry], int]:
    """Return the lines of up to `EVENTS_PER_PAGE` events, latest first, and the number of events before them.

    The page ends with version `until` of the stream, or with the last one. At most ten queries, whatever the size of
    the season.
    """
    last = season.stream.version
    until = last if until is None else min(until, last)
    first = max(0, until - EVENTS_PER_PAGE)
    entries = eventlog.read_events(season.stream_id, after=first, until=until)
    opened = season.stream.created
    timed = [(opened + timedelta(milliseconds=entry.ms), read_event(entry.event)) for entry in reversed(entries)]
    return describe.describe_events(timed, _load_lookups(season, [event for _, event in timed])), first


def _load_lookups(season: Season, events: list[SeasonEvent]) -> lookups.EventLookups:
    """Load the rows that `events` refer to. At most six queries."""
    refers = lookups.references(events)
    games = {row.game_id: row for row in _games_with(games=sorted(refers.games))}
    entered = {row.number: row for row in _entrants_with(season=season.pk, numbers=sorted(refers.entrants))}
    agreed = {row.pk: row for row in matches_with(matches=sorted(refers.matches))}
    divisions = dict(_division_names(season=season.pk))
    notes = dict(Note.objects.filter(pk__in=refers.notes).values_list("pk", "text")) if refers.notes else {}
    imported: list[tuple[int, int]] = []
    if season.imported_at:
        rounds = Round.objects.filter(division__season=season, matches__imported__isnull=False).distinct()
        imported = list(rounds.values_list("division__number", "number"))
    return lookups.EventLookups(
        {number: value.player for number, value in entered.items()},
        games,
        agreed,
        notes,
        players_by_match(refers.sides),
        divisions if len(divisions) > 1 else {},
        {number for number, value in entered.items() if value.since > 1},
        imported,
        {number for number, value in entered.items() if value.status == Entrant.Status.OUT},
        Player.objects.select_related("bot_version").in_bulk(refers.players) if refers.players else {},
    )


@prepared
def _games_with(*, games: list[int]) -> QuerySet[MatchGame]:
    rows = MatchGame.objects.filter(game__in=games)
    return rows.select_related("game__deal", "match__round__division").only(*GAME_EVENTS)


@prepared
def _entrants_with(*, season: int, numbers: list[int]) -> QuerySet[Entrant]:
    return Entrant.objects.filter(season=season, number__in=numbers).select_related("player__bot_version")


@prepared
def matches_with(*, matches: list[int]) -> QuerySet[Match]:
    """Return matches with their rounds and divisions."""
    return Match.objects.filter(pk__in=matches).select_related("round__division")


@prepared
def _division_names(*, season: int) -> QuerySet[Division, tuple[int, str]]:
    return Division.objects.filter(season=season).values_list("number", "name")


@prepared
def _sides_with(*, matches: list[int]) -> QuerySet[MatchEntrant]:
    return MatchEntrant.objects.filter(match__in=matches).select_related("entrant__player__bot_version")


def players_by_match(matches: Collection[int]) -> dict[int, list[Player]]:
    """Return match id → its players. One query, none for no matches."""
    players: dict[int, list[Player]] = {}
    if not matches:
        return players
    for side in _sides_with(matches=sorted(matches)):
        players.setdefault(side.match_id, []).append(side.entrant.player)
    return players
