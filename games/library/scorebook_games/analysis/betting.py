"""Bets against claims about a mean: tests and intervals that hold at every look, whatever the spread of the results.

Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
Statistical Society B 86 (2024).

A gambler bets against the claim "the mean is at most m". The capital begins at 1. A result x multiplies it by
1 + λ(x − m), with a bet λ ≥ 0 that was chosen before x was known, and is so small that the capital stays positive. If
the claim is true, the expected factor is at most 1. So the capital ever reaches 1/α with a probability of at most α
(Ville's inequality). Bets against "the mean is at least m" mirror this. All that is needed: results have known limits,
and the claim holds for the mean of each result, given all earlier ones.

The 95 % interval holds all means against which neither of the two gamblers has reached 40.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final, NamedTuple

ALPHA: Final = 0.05  # the risk that a true claim is refuted
LIMIT: Final = 1 / ALPHA  # the capital that refutes a claim
INTERVAL_LIMIT: Final = 2 / ALPHA  # the same for the 95 % interval, which has two ends
MOST_LOST: Final = 0.95  # the part of the capital that one result may cost
FIRST_VARIANCE: Final = 0.1  # assumed before the first result, with the weight of one
HALVINGS: Final = 20  # of the distance in which an end of an interval is searched
ROUNDING: Final = 1e-9


class Bet(NamedTuple):
    """A result between −`reach` and 1 + `reach`, and what was bet on it."""

    result: float
    reach: float
    size: float

    def over(self, mean: float) -> float:
        """Return the factor of the capital of a gambler who bets that results are greater than `mean`."""
        return 1 + min(self.size, MOST_LOST / (mean + self.reach)) * (self.result - mean)

    def under(self, mean: float) -> float:
        """Return the factor of the capital of a gambler who bets that results are smaller than `mean`."""
        return 1 - min(self.size, MOST_LOST / (1 - mean + self.reach)) * (self.result - mean)


@dataclass(slots=True)
class Measure:
    """One way in which results are measured: the limits of its numbers, and what they were so far."""

    reach: float
    results: list[float] = field(default_factory=list)
    mean: float = 0.0
    squares: float = 0.0

    @property
    def variance(self) -> float:
        """The variance so far; before, a cautious one."""
        return (FIRST_VARIANCE + self.squares) / (1 + len(self.results))

    def add(self, result: float) -> None:
        """Count one more result. Raises ValueError if it is no number within the limits."""
        if not -self.reach - ROUNDING <= result <= 1 + self.reach + ROUNDING:
            raise ValueError(f"A result of {result} does not lie between {-self.reach} and {1 + self.reach}.")
        self.results.append(result)
        before = self.mean
        self.mean += (result - before) / len(self.results)
        self.squares += (result - before) * (result - self.mean)

    def bet(self, gap: float) -> tuple[float, float]:
        """Return the bet with which the capital grows fastest, and how fast, if the mean is `gap` from the claim."""
        square = self.variance + gap * gap
        size = min(gap / square, MOST_LOST / (0.5 + self.reach))
        return size, size * gap - size * size * square / 2


class Bets:
    """What was bet on results, each of which is measured in one or more ways with the same mean.

    `reaches` are the limits of the measures. `gap` is the difference of the mean from a claim for which bets are best.
    Before each result, the measure on which the capital would grow fastest is chosen.
    """

    def __init__(self, gap: float, reaches: Sequence[float]) -> None:
        self.gap = gap
        self.measures = [Measure(reach) for reach in reaches]
        self.bets: list[Bet] = []

    def add(self, result: Sequence[float]) -> Bet:
        """Bet on a result, which is given in each measure. Raises ValueError if it is not within the limits."""
        sizes = [measure.bet(self.gap) for measure in self.measures]
        best = max(range(len(sizes)), key=lambda place: sizes[place][1])
        for measure, each in zip(self.measures, result, strict=True):
            measure.add(each)
        bet = Bet(result[best], self.measures[best].reach, sizes[best][0])
        self.bets.append(bet)
        return bet

    def interval(self) -> tuple[float, float]:
        """Return both ends of the 95 % interval of the mean, which lies between 0 and 1."""
        low = _end(lambda mean: prod([bet.over(mean) for bet in self.bets]) >= INTERVAL_LIMIT)
        high = _end(lambda mean: prod([bet.under(1 - mean) for bet in self.bets]) >= INTERVAL_LIMIT)
        return low, 1 - high


def _end(refuted: Callable[[float], bool]) -> float:
    """Return the greatest mean up to which all are refuted, rounded down."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low
