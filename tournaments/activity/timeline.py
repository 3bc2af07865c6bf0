"""What happened in a season, a part at a time: read from its stream, and told in words
(`tournaments.activity.describe`)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from games.engines.base import Event
from games.eventlog import store as eventlog
from games.models import Player
from tournaments.activity import describe, lookups
from tournaments.seasons.models import Entrant, Match, MatchEntrant, MatchGame, Note, Round, Season

EVENTS_PER_PAGE: Final = 24
# What a line tells of a game, and by what it is known whether it may be told.
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
    """Some lines, the latest first, that end with version `until` of the stream, or with its last; and how many events
    came before them. Ten queries at most, whatever the size of the season."""
    last = season.stream.version
    until = last if until is None else min(until, last)
    first = max(0, until - EVENTS_PER_PAGE)
    entries = eventlog.read_events(season.stream_id, after=first, until=until)
    opened = season.stream.created
    timed = [(opened + timedelta(milliseconds=entry.ms), entry.event) for entry in reversed(entries)]
    return describe.describe_events(timed, _load_lookups(season, [event for _, event in timed])), first


def _load_lookups(season: Season, events: list[Event]) -> lookups.EventLookups:
    """What `events` speak of. Six queries at most."""
    wanted = MatchGame.objects.filter(game__in=lookups.games_in(events))
    told = wanted.select_related("game__deal", "match__round__division").only(*GAME_EVENTS)
    games = {each.game_id: each for each in told}
    entrants = Entrant.objects.filter(season=season, number__in=lookups.entrants_in(events))
    players = entrants.select_related("player__bot_version")
    entered = {each.number: each for each in players}
    agreed = Match.objects.filter(pk__in=lookups.matches_in(events)).select_related("round__division").in_bulk()
    divisions = dict(season.divisions.values_list("number", "name"))
    said = lookups.notes_in(events)
    notes = dict(Note.objects.filter(pk__in=said).values_list("pk", "text")) if said else {}
    imported: list[tuple[int, int]] = []
    if season.imported_at:
        rounds = Round.objects.filter(division__season=season, matches__imported__isnull=False).distinct()
        imported = list(rounds.values_list("division__number", "number"))
    return lookups.EventLookups(
        {number: each.player for number, each in entered.items()},
        games,
        agreed,
        notes,
        players_by_match(lookups.nudged_in(events)),
        divisions if len(divisions) > 1 else {},
        {number for number, each in entered.items() if each.since > 1},
        imported,
    )


def players_by_match(matches: Collection[int]) -> dict[int, list[Player]]:
    """Match → who plays it. One query, none without any."""
    told: dict[int, list[Player]] = {}
    if not matches:
        return told
    for side in MatchEntrant.objects.filter(match__in=matches).select_related("entrant__player__bot_version"):
        told.setdefault(side.match_id, []).append(side.entrant.player)
    return told
