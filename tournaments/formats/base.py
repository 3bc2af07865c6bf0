"""What a format is: given the entrants and what was played so far, it answers what comes next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from games.engines.base import Dealer
from tournaments.results import RoundResult
from tournaments.standings import PointsSystem


@dataclass(frozen=True, slots=True)
class Pairing:
    """A table: its entrants in the order of the seats of the first game, and why they meet, in a sentence."""

    seats: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Rest:
    """An entrant without a table in this round, and why."""

    entrant: int
    reason: str


@dataclass(frozen=True, slots=True)
class Pairings:
    """A round to be played: tables 1 … in order, and who has a bye."""

    tables: tuple[Pairing, ...]
    byes: tuple[Rest, ...] = ()


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing can be paired yet; `reason` says what is waited for."""

    reason: str


@dataclass(frozen=True, slots=True)
class Finished:
    """Everything is played. `places`: entrant → final place."""

    places: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class FormatOptions:
    """What a format must know of its season.

    `table_size` entrants meet at a table; `points`, `tie_breaks`, `lowest_best` and `lots` are those of
    `tournaments.standings.fold`, for places.
    """

    table_size: int
    points: PointsSystem
    tie_breaks: tuple[str, ...] = ()
    lowest_best: bool = False
    lots: Mapping[int, int] | None = None


class Format(Protocol):
    """A way to run a competition. `cycles`: how often everybody meets everybody, as far as the format promises it."""

    def rounds(self, entrants: int, table_size: int) -> int:
        """How many rounds so many entrants play."""

    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """What comes after `history`, which holds every round so far in order. The same answer to the same question."""
