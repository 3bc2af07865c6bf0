"""Many games of one kind at a time, as arrays. Needs NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scorebook_games.training.features import move_features, observation_features
from scorebook_games.training.session import Session, seed_of

OBSERVATION_SIZE: Final = 512
MOVE_SIZE: Final = 64
MOVES: Final = 128  # the most moves that an environment offers at a time; the five kinds list up to 70

Floats = NDArray[np.float32]


def observation_array(session: Session, seat: int, size: int = OBSERVATION_SIZE) -> Floats:
    """Return what `seat` knows as an array (size,)."""
    array = np.zeros(size, np.float32)
    for place, number in observation_features(session.observation(seat), seat, size).items():
        array[place] = number
    return array


def move_arrays(moves: Sequence[str], rows: int = MOVES, size: int = MOVE_SIZE) -> Floats:
    """Return the features of `moves` as an array (rows, size), zeros below the last."""
    array = np.zeros((rows, size), np.float32)
    for row, move in enumerate(moves[:rows]):
        array[row] = _move_array(move, size)
    return array


@lru_cache(maxsize=4096)
def _move_array(move: str, size: int) -> Floats:
    array = np.zeros(size, np.float32)
    for place, number in move_features(move, size).items():
        array[place] = number
    return array


def mask_array(count: int, rows: int = MOVES) -> NDArray[np.int8]:
    """Return 1 for each of `count` moves and 0 for the rest, as an array (rows,)."""
    array = np.zeros(rows, np.int8)
    array[:count] = 1
    return array


class Batch:
    """`count` games of `kind` at a time, `rows` moves offered at most. A game that has ended is followed by a new one.

    `seats` is an array (count,) of the seats that are asked. Game n of row r has the seed ``first + r + n · count``, so
    a batch is the same for the same choices.
    """

    def __init__(
        self,
        kind: str,
        count: int,
        *,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        first: int = 0,
        rows: int = MOVES,
    ) -> None:
        self.kind, self.options, self.rows = kind, dict(options or {}), rows
        self.numbers = [first + row for row in range(count)]
        self.sessions = [Session(kind, seats, self.options, seed_of(number)) for number in self.numbers]
        self.players = self.sessions[0].seats

    @property
    def seats(self) -> NDArray[np.int64]:
        """The seats that are asked, as an array (count,)."""
        return np.array([session.seat for session in self.sessions])

    def observe(self) -> tuple[Floats, Floats, NDArray[np.int8]]:
        """Return what the asked seats know (count, 512), their moves (count, rows, 64) and masks (count, rows)."""
        known = np.stack([observation_array(session, session.seat) for session in self.sessions])
        moves = np.stack([move_arrays(session.moves(), self.rows) for session in self.sessions])
        masks = np.stack([mask_array(min(self.rows, len(session.actions)), self.rows) for session in self.sessions])
        return known, moves, masks

    def margins(self) -> Floats:
        """Return the margins of all seats (count, players), as `Session.margins` does."""
        return np.array([session.margins() for session in self.sessions], np.float32)

    def step(self, indices: Sequence[int] | NDArray[np.int64]) -> tuple[Floats, NDArray[np.bool_]]:
        """Play one move in each game. Return the results (count, players), zeros unless the game ended, and which
        ended."""
        results = np.zeros((len(self.sessions), self.players), np.float32)
        ended = np.zeros(len(self.sessions), np.bool_)
        for row, index in enumerate(indices):
            session = self.sessions[row]
            session.play(int(index))
            if session.over:
                results[row], ended[row] = session.results(), True
                self.numbers[row] += len(self.sessions)
                self.sessions[row] = Session(self.kind, self.players, self.options, seed_of(self.numbers[row]))
        return results, ended
