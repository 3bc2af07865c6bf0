"""Elo ratings as a fold of a pool's stream. Pure.

    E_ij = 1 / (1 + 10 ** ((R_j − R_i) / 400))         what i may expect against j
    S_ij = 1 if i is placed before j, ½ if level, 0 if after
    ΔR_i = K / (n − 1) · Σ_j (S_ij − E_ij)              n seats, all from the ratings before the game

K is 24 for everybody at all times: small enough that a bot's figure stands still within ±40 or so once it has played
a season, large enough that a new one has moved most of its way after thirty games. With one K for all, a game moves
points about and makes none: the pool's mean stays 1500.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from games.engines.base import Event

START = 1500.0
K = 24.0
SCALE = 400.0

# ["rated", game, [[player, placing], …]]: a game of the pool, in the order in which it counts. Ids only.
RATED = "rated"


def rated(game: int, places: Iterable[tuple[int, int]]) -> Event:
    """The event of a rated game; `places` are (player, placing) by seat."""
    return [RATED, game, [list(place) for place in places]]


@dataclass(frozen=True, slots=True)
class Rated:
    """A player's rating and over how many games it was made."""

    rating: float = START
    games: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """What the event at `position` (1 …) of the pool's stream did to one player."""

    position: int
    game: int
    player: int
    before: float
    after: float


def expected(mine: float, theirs: float) -> float:
    """The part of a game that `mine` may expect of `theirs`, 0 … 1."""
    return float(1.0 / (1.0 + 10.0 ** ((theirs - mine) / SCALE)))


def deltas(ratings: Sequence[float], placings: Sequence[int]) -> list[float]:
    """By how much a game changes the rating of each seat."""
    factor = K / (len(ratings) - 1)
    return [
        factor
        * sum(
            [
                (place < other) + (place == other) / 2 - expected(rating, against)
                for j, (against, other) in enumerate(zip(ratings, placings, strict=True))
                if j != i
            ]
        )
        for i, (rating, place) in enumerate(zip(ratings, placings, strict=True))
    ]


def fold(
    events: Iterable[Event], start: Mapping[int, Rated] | None = None, position: int = 0
) -> tuple[dict[int, Rated], list[Change]]:
    """The ratings after `events`, by player, and every change, in order.

    `start` and `position` go on from a fold of the `position` events before these.
    """
    ratings = dict(start or {})
    changes: list[Change] = []
    for event in events:
        position += 1
        match event:
            case [kind, int(game), list(places)] if kind == RATED:
                changes += _rate(ratings, position, game, places)
    return ratings, changes


def _rate(ratings: dict[int, Rated], position: int, game: int, places: list[list[int]]) -> list[Change]:
    before = [ratings.get(player, Rated()) for player, _ in places]
    moved = deltas([rated.rating for rated in before], [placing for _, placing in places])
    changes = []
    for (player, _), rated, delta in zip(places, before, moved, strict=True):
        ratings[player] = Rated(rated.rating + delta, rated.games + 1)
        changes.append(Change(position, game, player, rated.rating, rated.rating + delta))
    return changes
