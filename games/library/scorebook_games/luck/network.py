"""Fits the network of a value function to duels of generated games. `scorebook-kind fit` runs it, with numpy.

It descends the mean of the logarithmic loss over pairs of seats, by Adam (Kingma and Ba, ICLR 2015), with a step that
falls as half a wave of the cosine. So values come near the share of duels that are won, whoever plays.

Duels may end with their result, or with the mean value after the next draw (`foreseen_duels`). The second says the same
with less noise, and without drift.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

from scorebook_games.luck.drift import steps
from scorebook_games.luck.games import play, players_of
from scorebook_games.value import NetworkValue, plain_class

SEATS: Final = 2  # of games whose draws are looked at
EPOCHS: Final = 16
LEAST_STEPS: Final = 1000
BATCH: Final = 512
STEP: Final = 4e-3
DECAY: Final = 1e-5
MEAN, SQUARE, SMALL = 0.9, 0.999, 1e-8  # of Adam
LEAST: Final = 1e-3  # the standard deviation of a feature that never varies
DIGITS: Final = 5


class Duel(NamedTuple):
    """A position as the network sees it in the duel of two seats, and what the first of them has of its result."""

    one: Sequence[float]
    other: Sequence[float]
    spread: Sequence[float]
    share: float


def fitted_network(value: NetworkValue, duels: Iterable[Duel]) -> dict[str, Any]:
    """Return the weights of `value`. Raises ImportError without numpy."""
    np: Any = import_module("numpy")
    known = list(duels)
    here = np.array([[*each.one, *each.other, *each.spread] for each in known])
    there = np.array([[*each.other, *each.one, *each.spread] for each in known])
    shares = np.array([each.share for each in known])
    middle, scale = (here.mean(axis=0) + there.mean(axis=0)) / 2, here.std(axis=0) + LEAST
    units, bias, out = _descend(np, (here - middle) / scale, (there - middle) / scale, shares, value.hidden)
    units = units / scale[:, None]
    bias = bias - middle @ units
    rows = [[_short(each) for each in row] for row in units]
    count = len(value.names)
    both = zip(rows[:count], rows[count : 2 * count], strict=True)
    return {
        "weights": {name: mine + rival for name, (mine, rival) in zip(value.names, both, strict=True)},
        "spread": dict(zip(value.spreads, rows[2 * count :], strict=True)),
        "bias": [_short(each) for each in bias],
        "out": [_short(each) for each in out],
    }


def _descend(np: Any, here: Any, there: Any, shares: Any, hidden: int) -> tuple[Any, Any, Any]:
    """Return the weights of the units, their bias, and what they count."""
    rng = np.random.default_rng(0)
    count, width = here.shape
    weights = [rng.normal(0, 1, (width, hidden)) / width**0.5, np.zeros(hidden), rng.normal(0, 0.1, hidden)]
    means, squares = [np.zeros_like(weight) for weight in weights], [np.zeros_like(weight) for weight in weights]
    batches = max(1, count // BATCH)
    steps = max(LEAST_STEPS, EPOCHS * batches)
    for step in range(steps):
        if step % batches == 0:
            order = rng.permutation(count)
        chosen = order[step % batches * BATCH :][:BATCH]
        one, other = here[chosen], there[chosen]
        units, bias, out = weights
        seen, seen_there = np.tanh(one @ units + bias), np.tanh(other @ units + bias)
        miss = (1 / (1 + np.exp((seen_there - seen) @ out)) - shares[chosen]) / len(chosen)
        back = (1 - seen * seen) * (miss[:, None] * out)
        back_there = (seen_there * seen_there - 1) * (miss[:, None] * out)
        slopes = [
            one.T @ back + other.T @ back_there + DECAY * units,
            back.sum(axis=0) + back_there.sum(axis=0),
            (seen - seen_there).T @ miss + DECAY * out,
        ]
        size = STEP * (1 + np.cos(np.pi * step / steps)) / 2
        for at, slope in enumerate(slopes):
            means[at] = MEAN * means[at] + (1 - MEAN) * slope
            squares[at] = SQUARE * squares[at] + (1 - SQUARE) * slope * slope
            mean, square = means[at] / (1 - MEAN ** (step + 1)), squares[at] / (1 - SQUARE ** (step + 1))
            weights[at] = weights[at] - size * mean / (np.sqrt(square) + SMALL)
    return weights[0], weights[1], weights[2]


def _short(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


def foreseen_duels(value: NetworkValue, games: int, mixes: Sequence[str], turn: int) -> Iterator[Duel]:
    """Yield the positions before the draws of generated games of two, with the mean values after these draws.

    Each `turn` has games of its own.
    """
    seen: Any = recording(value)
    kind = value.rules.spec.kind
    for number in range(games):
        rng = random.Random(f"{kind} foreseen {turn} {number}")
        log = play(kind, players_of(mixes[number % len(mixes)], SEATS, rng), rng.randbytes(32))
        for step in steps(seen, log):
            if seen.before:
                rows, spread = seen.before
                seen.before = None
                yield Duel(rows[0], rows[1], spread, step.after[0])


def recording(value: NetworkValue) -> NetworkValue:
    """Return a value function that keeps, in `before`, what its network saw of the latest state."""
    base: Any = plain_class(type(value))

    class Recording(base):  # type: ignore[misc]
        seen: list[Any] = []
        before: Any = None

        def duels_of(self, features: Any, spread: Any) -> list[float]:
            self.seen.append((features, spread))
            values: list[float] = super().duels_of(features, spread)
            return values

        def values(self, state: Any, memory: Any = None) -> list[float]:
            self.seen.clear()
            values: list[float] = super().values(state, memory)
            self.before = self.seen[0] if len(self.seen) == 1 else None
            return values

    found: NetworkValue = Recording(value.rules, value.file)
    return found
