"""What a format is: given the entrants and what was played so far, it answers what comes next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from games.engines.base import Dealer, Option
from tournaments.core.results import RoundResult
from tournaments.scoring.points import PointsSystem


@dataclass(frozen=True, slots=True)
class Pairing:
    """A table: its entrants in the order of the seats of the first game, and why they meet, in a sentence.

    `slot` is the table's place in a bracket or group where the format has such ("W2.1", "B"); it comes back in the
    match's result.
    """

    seats: tuple[int, ...]
    reason: str
    slot: str = ""


@dataclass(frozen=True, slots=True)
class PairingBye:
    """An entrant without a table in this round, and why.

    `missing`: the entrant in whose place nobody sits, who has withdrawn or was away too long; then it is a walkover,
    and counts as a match won. Those who are `away` need no rest: the director writes down that they are.
    """

    entrant: int
    reason: str
    missing: int | None = None


@dataclass(frozen=True, slots=True)
class Pairings:
    """A round to be played: tables 1 … in order, and who has a bye."""

    tables: tuple[Pairing, ...]
    byes: tuple[PairingBye, ...] = ()


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing can be paired yet; `reason` says what is waited for. `until` is when to ask again though nothing has
    happened, in seconds since 1970."""

    reason: str
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """Everything is played. `places`: entrant → final place."""

    places: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class FormatOptions:
    """What a format must know of its season.

    `table_size` entrants meet at a table; `points`, `tie_breaks`, `lowest_best` and `lots` are those of
    `tournaments.scoring.standings.compute_standings`, for places. `settings` are the format's own, complete. `seeds`:
    entrant → 1 … n, the strongest first; where there are none the lots decide. `away`: entrant → why it is not to be
    paired now, as the end of a sentence ("has withdrawn", "is away in this round", "enters in round 4"); `withdrawn`
    are those of them who do not come back. `short`: whether tables may have fewer entrants, two at least, where the
    number does not fill them. For a ladder: `challenges`: (challenger, challenged) in the order of asking;
    `expiries`: when those that wait run out, in seconds since 1970; `lost`: (rounds, who takes a place, whose it was)
    of places that were lost by refusing, after so many rounds had been paired. `over`: whether the time of a format
    without a last round is up. `carried`: with how many points they began.
    """

    table_size: int
    points: PointsSystem
    tie_breaks: tuple[str, ...] = ()
    lowest_best: bool = False
    lots: Mapping[int, int] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seeds: Mapping[int, int] | None = None
    away: Mapping[int, str] = field(default_factory=dict)
    withdrawn: frozenset[int] = frozenset()
    short: bool = False
    challenges: tuple[tuple[int, int], ...] = ()
    expiries: tuple[int, ...] = ()
    lost: tuple[tuple[int, int, int], ...] = ()
    over: bool = False
    carried: Mapping[int, Fraction] = field(default_factory=dict)


def no_full_table(entrants: int, table_size: int) -> str | None:
    """What to do where so many entrants do not fill one table, as `Format.lacks` says it; None where they do."""
    if entrants >= table_size:
        return None
    return (
        f"The season needs at least {table_size} entrants and has {entrants}. Invite more, or make the tables smaller."
    )


class Format(Protocol):
    """A way to run a competition.

    `options` are its own settings, as the options of a kind of game are. `continuous`: whether it pairs again while
    rounds are still being played, those who are free.
    """

    options: tuple[Option, ...]
    continuous: bool

    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> int | None:
        """How many rounds so many entrants play; None where nobody can know beforehand."""

    def lacks(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> str | None:
        """Why so many entrants cannot play it, as a sentence that says what to do; None if they can."""

    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """What comes after `history`, which holds every round so far in order. The same answer to the same question.

        `entrants` are all who ever entered, in the order of joining; whoever of them is `away` is not paired. It never
        raises for a history that came from its own pairings, whoever withdrew or came late meanwhile.
        """
