"""The rows that a season's events refer to by number. Callers of `describe` look them up and pass them in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.utils.formats import date_format
from django.utils.timezone import localtime

from games.accounts.notices import moment_text
from games.common.labels import duration_label, number_label
from games.models import Player
from games.visibility.observe import is_result_public
from tournaments.core.event import Details
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.labels import format_label, format_points
from tournaments.seasons.models import Match, MatchGame


@dataclass(frozen=True, slots=True)
class References:
    """What several events refer to: numbers of entrants, ids of matches, games and public notes, the matches whose
    players they name (`sides`), and ids of players of teams."""

    entrants: Collection[int]
    matches: Collection[int]
    games: Collection[int]
    notes: Collection[int]
    sides: Collection[int]
    players: Collection[int] = ()


def references(events: Iterable[SeasonEvent]) -> References:
    """Return what `events` refer to. Notes of disputes are left out: only organisers read what players write there."""
    listed = list(events)
    refers = [event.refers() for event in listed]
    return References(
        {entrant for each in refers for entrant in each.entrants},
        {match for each in refers for match in each.matches},
        {game for each in refers for game in each.games},
        {note for event in listed if event.public_note and (note := event.note_id()) is not None},
        {match for each in refers for match in each.sides},
        {player for each in refers for player in each.players},
    )


@dataclass(frozen=True, slots=True)
class EventLookups:
    """The rows behind the numbers in events, and the words that events need to describe themselves (`Words`).

    `players`: entrant number → player. `games`: game id → its place in a match. `matches`: match id → match. `notes`:
    note id → text. `players_of`: match id → its players. `divisions`: number → name, empty if the season has only one.
    `late`: the entrants who entered after the start; the others were placed in a division by the start. `imported`: the
    rounds, as (division, round), that came from a file. `gone`: the entrants who left before they played. `members`: id
    → player of a team.
    """

    players: Mapping[int, Player]
    games: Mapping[int, MatchGame]
    matches: Mapping[int, Match] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    players_of: Mapping[int, Sequence[Player]] = field(default_factory=dict)
    divisions: Mapping[int, str] = field(default_factory=dict)
    late: Collection[int] = ()
    imported: Collection[tuple[int, int]] = ()
    gone: Collection[int] = ()
    members: Mapping[int, Player] = field(default_factory=dict)

    def player(self, entrant: int) -> Player:
        return self.players[entrant]

    def member(self, player: int) -> Player:
        return self.members[player]

    def sides(self, match: int) -> Sequence[Player]:
        return self.players_of.get(match, [])

    def note(self, details: Details) -> str:
        note = details.get("note")
        return self.notes.get(note[0], "") if note else ""

    def division(self, number: int) -> str:
        return self.divisions.get(number, "")

    def place_of_match(self, match: int) -> tuple[int, int]:
        found = self.matches[match]
        return found.table, found.round.number

    def place_of_game(self, game: int) -> tuple[int, int]:
        found = self.games[game].match
        return found.table, found.round.number

    def is_public(self, game: int) -> bool:
        return is_result_public(self.games[game].game)

    def is_imported(self, division: int, round: int) -> bool:
        return (division, round) in self.imported

    def count(self, number: int, noun: str) -> str:
        return number_label(number, noun)

    def points(self, points: float) -> str:
        return format_points(points)

    def format_name(self, name: str) -> str:
        return format_label(name)

    def duration(self, seconds: int) -> str:
        return duration_label(timedelta(seconds=seconds))

    def moment(self, seconds: int) -> str:
        return moment_text(datetime.fromtimestamp(seconds, UTC))

    def date(self, seconds: int) -> str:
        return date_format(localtime(datetime.fromtimestamp(seconds, UTC)), "LONG_DAY_TIME_FORMAT")
