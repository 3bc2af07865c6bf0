"""A whole season folded from its stream: what pairing, standings and `rebuild` start from. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.engines.base import Event
from games.engines.chance import SeedDealer
from games.kinds import rules_for
from tournaments import events as ev
from tournaments import standings
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, FormatOptions, Pairings, Wait
from tournaments.results import GameResult, MatchResult, RoundResult


@dataclass(slots=True)
class FoldedMatch:
    """A match: `games` number → the game that counts for it (the last opened), `records` number → its result."""

    id: int
    entrants: tuple[int, ...]
    games: dict[int, int]
    records: dict[int, dict[str, Any]] = field(default_factory=dict)

    def result(self) -> MatchResult:
        """As standings add it up."""
        return MatchResult(self.entrants, tuple(game_result(self.records[number]) for number in sorted(self.records)))


@dataclass(slots=True)
class FoldedRound:
    """A round, its matches in the order of their tables."""

    number: int
    matches: list[FoldedMatch]
    byes: list[int]
    closed: bool = False

    def result(self) -> RoundResult:
        """As formats and standings take it."""
        return RoundResult(self.number, tuple(match.result() for match in self.matches), tuple(self.byes), self.closed)


@dataclass(slots=True)
class FoldedDivision:
    """A division: `entrants` number → player; `places` once it is finished."""

    number: int
    entrants: dict[int, int] = field(default_factory=dict)
    rounds: list[FoldedRound] = field(default_factory=list)
    places: dict[int, int] | None = None

    def results(self) -> list[RoundResult]:
        """Every round so far, in order."""
        return [past.result() for past in self.rounds]


class SeasonFold:
    """Where a season stands after the events applied so far.

    `settings` is the data of the first event, or of the last change; `divisions` number → division; `seed` and `pool`
    are set by the start.
    """

    __slots__ = ("_matches", "divisions", "pool", "seed", "settings")

    def __init__(self, events: Iterable[Event]) -> None:
        self.settings: dict[str, Any] = {}
        self.divisions: dict[int, FoldedDivision] = {}
        self.seed: str | None = None
        self.pool: str | None = None
        self._matches: dict[int, FoldedMatch] = {}
        for event in events:
            self.apply(event)

    def apply(self, event: Event) -> None:
        """Move on by one event. A type that is not known here changes nothing."""
        match event:
            case [ev.CREATED | ev.CHANGED, dict(settings)]:
                self.settings = settings
            case [ev.JOINED, int(division), int(entrant), int(player)]:
                self.division(division).entrants[entrant] = player
            case [ev.STARTED, dict(start)]:
                self.seed, self.pool = start["seed"], start["pool"]
            case [ev.PAIRED, int(division), int(number), list(tables), list(byes)]:
                self._pair(self.division(division), number, tables, byes)
            case [ev.REPLAYED, int(match_id), int(number), _, int(game)]:
                self._matches[match_id].games[number] = game
            case [ev.OPENED, int(match_id), int(number), int(game)]:
                self._matches[match_id].games[number] = game
            case [ev.RECORDED, int(match_id), int(number), dict(record)]:
                self._matches[match_id].records[number] = record
            case [ev.CLOSED, int(division), int(number)]:
                self.division(division).rounds[number - 1].closed = True
            case [ev.FINISHED, int(division), list(places)]:
                self.division(division).places = dict(places)

    def division(self, number: int) -> FoldedDivision:
        """The division of that number, empty before anybody joined."""
        return self.divisions.setdefault(number, FoldedDivision(number))

    def _pair(self, division: FoldedDivision, number: int, tables: list[Any], byes: list[Any]) -> None:
        matches = [
            FoldedMatch(match_id, tuple(entrants), dict(enumerate(games, start=1)))
            for match_id, entrants, _, games in tables
        ]
        self._matches.update((match.id, match) for match in matches)
        division.rounds.append(FoldedRound(number, matches, [entrant for entrant, _ in byes]))

    def points(self) -> standings.PointsSystem:
        """The season's points system."""
        return standings.points_of(self.settings["points"])

    def dealer(self) -> SeedDealer:
        """The season's chance. Raises ValueError before the start."""
        if self.seed is None:
            raise ValueError("The season has not started: its lots are not drawn yet.")
        return SeedDealer(bytes.fromhex(self.seed))

    def lots(self, division: FoldedDivision) -> dict[int, int]:
        """Entrant → lot 1 …, drawn with the season's start; before it the order of joining."""
        entrants = sorted(division.entrants)
        if self.seed is None:
            return {entrant: entrant for entrant in entrants}
        drawn = self.dealer().shuffle(f"lots/division{division.number}", entrants)
        return {entrant: lot for lot, entrant in enumerate(drawn, start=1)}

    def standings(self, division: FoldedDivision) -> list[standings.Row]:
        """The rows after the last closed round, first place first."""
        return standings.fold(
            sorted(division.entrants),
            division.results(),
            self.points(),
            self.settings["tie_breaks"],
            lowest_best=self._lowest_best(),
            lots=self.lots(division),
        )

    def next(self, division: FoldedDivision) -> Pairings | Wait | Finished:
        """What the season's format says comes next. Raises ValueError before the start."""
        options = FormatOptions(
            table_size=self.settings["table_size"],
            points=self.points(),
            tie_breaks=tuple(self.settings["tie_breaks"]),
            lowest_best=self._lowest_best(),
            lots=self.lots(division),
        )
        chosen = FORMATS[self.settings["format"]]
        return chosen.next(sorted(division.entrants), division.results(), options, self.dealer())

    def _lowest_best(self) -> bool:
        return rules_for(self.settings["kind"]).spec.best == "lowest"


def game_result(record: dict[str, Any]) -> GameResult:
    """A `game_recorded` event's data as standings take it."""
    return GameResult(tuple(record["seats"]), tuple(record["scores"]), tuple(record["placings"]), tuple(record["left"]))


def rotated(entrants: Sequence[int], number: int) -> tuple[int, ...]:
    """Who sits in seat 0, 1 … of game `number` (1 …) of a match: everybody moves on by one seat from game to game."""
    shift = (number - 1) % len(entrants)
    return tuple(entrants[shift:]) + tuple(entrants[:shift])
