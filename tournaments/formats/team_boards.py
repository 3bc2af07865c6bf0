"""Which board of each team plays which game of a match. Pure.

In odd games the team that is paired first moves first, in even ones the other (`tournaments.core.results`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class BoardGame:
    """A game of a match: its `number`, the boards of the team paired `first` and of the `other` one (1 …), and its
    `wave`: games of one wave are played at the same time where games follow one another."""

    number: int
    first: int
    other: int
    wave: int


@lru_cache(maxsize=64)
def board_games(boards: int, games: int) -> tuple[BoardGame, ...]:
    """Return the games of a match in which the players with the same board meet, board after board."""
    each = games // boards
    return tuple(BoardGame(n + 1, n // each + 1, n // each + 1, n % each) for n in range(games))


@lru_cache(maxsize=64)
def board_games_of_all_pairs(boards: int, games: int) -> tuple[BoardGame, ...]:
    """Return the games of a match in which everybody of one team meets everybody of the other, equally often.

    Nobody moves first more than once more often than second: of boards i and j, the first team's player moves first if
    i + j is even, and the next time the other one.
    """
    cycles = games // boards**2
    moves_first: list[tuple[int, int, int]] = []
    moves_second: list[tuple[int, int, int]] = []
    for cycle in range(cycles):
        for wave in range(boards):
            for first in range(boards):
                other = (first + wave) % boards
                side = moves_second if (first + other + cycle) % 2 else moves_first
                side.append((first + 1, other + 1, cycle * boards + wave))
    numbered: Sequence[tuple[int, tuple[int, int, int]]] = [
        *((2 * n + 1, pair) for n, pair in enumerate(moves_first)),
        *((2 * n + 2, pair) for n, pair in enumerate(moves_second)),
    ]
    return tuple(BoardGame(number, *pair) for number, pair in sorted(numbered))
