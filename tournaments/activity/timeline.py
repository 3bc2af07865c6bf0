"""The timeline of a season, read from its stream a page at a time and put into words by `describe`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from games.eventlog import store as eventlog
from games.models import Player
from tournaments.activity import describe, lookups
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.registry import read_event
from tournaments.seasons.models import Entrant, Match, MatchEntrant, MatchGame, Note, Round, Season

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
    wanted = MatchGame.objects.filter(game__in=refers.games)
    rows = wanted.select_related("game__deal", "match__round__division").only(*GAME_EVENTS)
    games = {row.game_id: row for row in rows}
    entrants = Entrant.objects.filter(season=season, number__in=refers.entrants)
    players = entrants.select_related("player__bot_version")
    entered = {player.number: player for player in players}
    agreed = Match.objects.filter(pk__in=refers.matches).select_related("round__division").in_bulk()
    divisions = dict(season.divisions.values_list("number", "name"))
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


def players_by_match(matches: Collection[int]) -> dict[int, list[Player]]:
    """Return match id → its players. One query, none for no matches."""
    players: dict[int, list[Player]] = {}
    if not matches:
        return players
    for side in MatchEntrant.objects.filter(match__in=matches).select_related("entrant__player__bot_version"):
        players.setdefault(side.match_id, []).append(side.entrant.player)
    return players
