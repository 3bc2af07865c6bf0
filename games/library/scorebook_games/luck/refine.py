"""Refines weights so that results without their luck vary as little as possible, as in MIVAT. It needs numpy.

Source: White and Bowling, "Learning a Value Function for Agent Evaluation", IJCAI 2009. There values are linear in the
weights, here they are not. So each step takes them for linear near the present weights (Gauss and Newton): over many
games, it regresses the result without its luck on the slopes of the luck, which are what the luck would change by if a
weight changed by 1.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib import import_module
from math import sqrt, tanh
from operator import mul
from typing import Any, Final

from scorebook_games.analysis.comparison import points_share
from scorebook_games.luck.games import play, players_of
from scorebook_games.luck.ledger import CHANCE, ledger_of
from scorebook_games.value import EVEN, LEAST_SPREAD, ValueFunction

SEATS: Final = 2
DEALS: Final = 12  # imagined deals with which an opening is compared; fewer than in ledgers, to save time
RIDGE: Final = 1e-3
SMALLEST: Final = 1e-3  # weight of the spread


def refined(value: ValueFunction, games: int) -> tuple[list[float], list[float]]:
    """Return better weights and weights of the spread, from generated games. Raises ImportError without numpy."""
    np: Any = import_module("numpy")
    left, slopes = [], []
    for rest, row in luck_slopes(value, games):
        left.append(rest)
        slopes.append(row)
    x, y = np.array(slopes), np.array(left)
    x, y = x - x.mean(axis=0), y - y.mean()
    square = x.T @ x
    change = np.linalg.solve(square + np.diag(RIDGE * square.diagonal() + SMALLEST**3), x.T @ y)
    found = [float(each) for each in np.array([*value.weights, *value.spread_weights]) + change]
    count = len(value.weights)
    return found[:count], [max(SMALLEST, each) for each in found[count:]]


def luck_slopes(value: ValueFunction, games: int) -> Iterator[tuple[float, list[float]]]:
    """Yield for each game the result of seat 0 without its luck, and the slopes of this luck."""
    sloped = with_slopes(value)
    for number in range(games):
        rng = random.Random(f"{value.rules.spec.kind} refined {number}")
        log = play(value.rules.spec.kind, players_of("wild", SEATS, rng), rng.randbytes(32))
        ledger = ledger_of(log, sloped, deals=DEALS)
        luck = [
            sum(each) for each in zip(*[entry.gains for entry in ledger.entries if entry.sort == CHANCE], strict=True)
        ]
        yield ledger.result[0] - luck[0], luck[SEATS:]


def with_slopes(value: ValueFunction) -> ValueFunction:
    """Return a value function whose lists have, after the values of two seats, the slopes of the first one's value."""
    base: Any = type(value)

    class Sloped(base):  # type: ignore[misc]
        def values_of(self, position: Any) -> list[float]:
            places = self.settled(position)
            if places is not None:
                return [points_share(places, 0), points_share(places, 1), *no_slopes]
            one, other = self.features(position)
            spread = self.spread(position)
            square = max(LEAST_SPREAD, sum(map(mul, self.spread_weights, spread)))
            scale = sqrt(square)
            ahead = [mine - theirs for mine, theirs in zip(one, other, strict=True)]
            lead = sum(map(mul, self.weights, ahead)) / scale
            even = tanh(lead)
            steep = EVEN * (1 - even * even)
            by_spread = -steep * lead / (2 * square)
            return [
                EVEN + EVEN * even,
                EVEN - EVEN * even,
                *[steep / scale * each for each in ahead],
                *[by_spread * each for each in spread],
            ]

    no_slopes = [0.0] * (len(value.names) + len(value.spreads))
    sloped: ValueFunction = Sloped(value.rules, value.file)
    return sloped
