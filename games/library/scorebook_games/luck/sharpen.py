"""Fits the weights of a spread to results once more, when all other weights are known. It needs numpy.

Weights that were fitted to few games say more than they know of others: they take what happened to happen for a rule.
So leads seem surer than they are, by as much as there are weights for the games. The spread has few weights. They are
fitted to games of their own, and so they bring values back to results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

from scorebook_games.luck.record import Duels, Mixture
from scorebook_games.luck.refine import DAMPING, LESS, MAX_DAMPING, MORE, SMALLEST, STEPS, Squares, Sums
from scorebook_games.value import EVEN, LEAST_SPREAD, ValueFunction

NOTHING: Final = 1e-7  # a change of the sum for each value that ends the steps


class SeenValues(NamedTuple):
    """Values of a game, the duels that they are made of, and how the seat of each value ended."""

    duels: Duels
    values: Sequence[Mixture]
    results: Sequence[float]


def sharpened(value: ValueFunction, games: Iterable[SeenValues]) -> list[float]:
    """Return the weights of the spread with which values come nearest to the results of these games.

    Raises ImportError without numpy.
    """
    np: Any = import_module("numpy")
    return Sharpening(np, value, list(games_of(np, value, games))).run(value.spread_weights)


class Game(NamedTuple):
    """The values of a game as arrays: the weighted lead of each duel and the features of its spread."""

    leads: Any
    spreads: Any
    values: Sums
    results: Any


def games_of(np: Any, value: ValueFunction, games: Iterable[SeenValues]) -> Iterable[Game]:
    """Yield the games that have values, as arrays."""
    weights = np.array(value.weights)
    for duels, values, results in games:
        if values:
            yield Game(np.array(duels.ahead) @ weights, np.array(duels.spreads), Sums.of(np, values), np.array(results))


class Sharpening:
    """Makes the sum of squares of values minus results small, by the steps of a refinement."""

    def __init__(self, np: Any, value: ValueFunction, games: Sequence[Game]) -> None:
        self.np, self.games, self.size = np, games, len(value.spreads)

    def run(self, start: Sequence[float]) -> list[float]:
        """Return the best weights."""
        np, weights, damping = self.np, self.np.array(start), DAMPING
        now = self.squares(weights)
        least = NOTHING * sum([len(game.results) for game in self.games])
        for _ in range(STEPS):
            damped = now.curve + np.diag(damping * now.curve.diagonal() + least)
            trial = np.maximum(weights - np.linalg.solve(damped, now.slope), SMALLEST)
            then = self.squares(trial)
            if then.whole >= now.whole:
                damping *= MORE
                if damping > MAX_DAMPING:
                    break
                continue
            done = now.whole - then.whole < least
            weights, now, damping = trial, then, damping * LESS
            if done:
                break
        return [float(weight) for weight in weights]

    def squares(self, weights: Any) -> Squares:
        """Return the sum of squares over all games."""
        np, found = self.np, Squares(self.np, self.size)
        for game in self.games:
            square = np.maximum(game.spreads @ weights, LEAST_SPREAD)
            lead = game.leads / np.sqrt(square)
            even = np.tanh(lead)
            slopes = (-EVEN * (1 - even * even) * lead / (2 * square))[:, None] * game.spreads
            values, value_slopes = game.values.values(np, EVEN * even, slopes)
            found.add(values - game.results, value_slopes, 1.0)
        return found
