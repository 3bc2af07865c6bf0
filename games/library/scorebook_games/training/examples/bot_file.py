"""Writes a trained policy as a bot's file that needs only the standard library. Needs NumPy."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from scorebook_games.training import features

BOT: Final = '''"""A bot for {kind}, trained by PPO. It needs only the standard library."""

from __future__ import annotations

import base64
import math
from array import array
from zlib import crc32

OBSERVATION_SIZE, MOVE_SIZE, HIDDEN = {observation_size}, {move_size}, {hidden}

{features}

def weights(text, columns):
    numbers = array("h", base64.b85decode(text))
    return [[number / {scale} for number in numbers[at : at + columns]] for at in range(0, len(numbers), columns)]


class Bot:
    kinds = ("{kind}",)
    want = ("observation",)

    def __init__(self):
        self.position = weights(POSITION, HIDDEN)
        self.inner = weights(INNER, HIDDEN)
        self.by_move = weights(MOVE, HIDDEN)
        self.alone = weights(ALONE, 1)
        self.known_moves = {{}}

    def move(self, view, legal):
        first = [0.0] * HIDDEN
        for place, number in observation_features(view.observation, view.seat, OBSERVATION_SIZE).items():
            first = [sum_ + number * weight for sum_, weight in zip(first, self.position[place])]
        first = [math.tanh(sum_) for sum_ in first]
        inner = [math.tanh(sum(a * row[column] for a, row in zip(first, self.inner))) for column in range(HIDDEN)]
        return max(legal, key=lambda move: self.score(inner, move))

    def score(self, inner, move):
        if move not in self.known_moves:
            found = move_features(move, MOVE_SIZE)
            sums = [sum(number * self.by_move[place][column] for place, number in found.items())
                    for column in range(HIDDEN)]
            alone = sum(number * self.alone[place][0] for place, number in found.items())
            self.known_moves[move] = ([math.tanh(sum_) for sum_ in sums], alone)
        direction, alone = self.known_moves[move]
        return sum(a * b for a, b in zip(inner, direction)) + alone


POSITION = "{position}"
INNER = "{inner}"
MOVE = "{move}"
ALONE = "{alone}"
'''
SCALE: Final = 4096  # weights are stored as whole numbers of 16 bits


def bot_source(kind: str, weights: Mapping[str, Any]) -> str:
    """Return a bot's source: the functions of `scorebook_games.training.features`, the network, and its weights.

    `weights` are arrays: `position` (facts, hidden), `inner` (hidden, hidden), `move` (facts of a move, hidden) and
    `alone` (facts of a move,). A move is worth ``tanh(tanh(known @ position) @ inner) @ tanh(found @ move) + found @
    alone``, where `known` and `found` are the features of the position and of the move.
    """

    def text(name: str) -> str:
        whole = np.clip(np.rint(np.asarray(weights[name]) * SCALE), -32767, 32767).astype("<i2")
        return base64.b85encode(whole.tobytes()).decode()

    source = Path(features.__file__).read_text(encoding="utf-8")
    start = source.index("BY_SEAT")
    return BOT.format(
        kind=kind,
        features="from __future__ import annotations\n" and source[start:].replace(": Final", ""),
        observation_size=np.shape(weights["position"])[0],
        move_size=np.shape(weights["move"])[0],
        hidden=np.shape(weights["inner"])[0],
        scale=SCALE,
        **{name: text(name) for name in ("position", "inner", "move", "alone")},
    )
