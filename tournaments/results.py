"""What came of the rounds of a division, as plain values: formats pair from it, standings add it up.

An entrant is its number in the division (1 …) throughout; no value here holds a name or a row.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GameResult:
    """One recorded game. `seats` are the entrants by seat; `scores` and `placings` likewise, as the game counts them.

    `left` are the seats whose players resigned or forfeited.
    """

    seats: tuple[int, ...]
    scores: tuple[int, ...]
    placings: tuple[int, ...]
    left: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match as it was paired (`entrants`: who sat in seat 0, 1 … of its first game) and its recorded games.

    `slot` is its place in a bracket or group, as the format named it. `over`: whether all of it is recorded. `struck`:
    it was played and counts for nobody, since one of them has withdrawn.
    """

    entrants: tuple[int, ...]
    games: tuple[GameResult, ...] = ()
    slot: str = ""
    over: bool = True
    struck: bool = False


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A round: its matches in the order of their tables, who rested, and whether all of it is played and closed.

    `away` are those who had asked not to be paired, or came later; `walkovers` those who met nobody since their
    opponent had withdrawn.
    """

    number: int
    matches: tuple[MatchResult, ...]
    byes: tuple[int, ...] = ()
    closed: bool = True
    away: tuple[int, ...] = ()
    walkovers: tuple[int, ...] = ()
