"""Bets against claims about a mean: tests and intervals that hold at every look, whatever the spread of the results.

Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
Statistical Society B 86 (2024).

A gambler bets against the claim "the mean is at most m". The capital begins at 1. A result x multiplies it by
1 + λ(x − m), with a bet λ ≥ 0 that was chosen before x was known, and is so small that the capital stays positive. If
the claim is true, the expected factor is at most 1. So the capital ever reaches 1/α with a probability of at most α
(Ville's inequality). Bets against "the mean is at least m" mirror this. All that is needed: results have known limits,
and the claim holds for the mean of each result, given all earlier ones.

The 95 % interval holds all means against which neither of the two gamblers has a capital of 40 or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod, sqrt
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

    def factor(self, mean: float) -> float:
        """Return the factor of the capital of a gambler who bets against "the mean is at most `mean`"."""
        return 1 + min(self.size, MOST_LOST / (mean + self.reach)) * (self.result - mean)


@dataclass(slots=True)
class Measure:
    """One way in which results are measured: the limits of its numbers, and their moments so far."""

    reach: float
    count: int = 0
    mean: float = 0.0
    squares: float = 0.0
    cubes: float = 0.0

    def add(self, result: float) -> None:
        """Count one more result. Raises ValueError if it is no number within the limits."""
        if not -self.reach - ROUNDING <= result <= 1 + self.reach + ROUNDING:
            raise ValueError(f"A result of {result} does not lie between {-self.reach} and {1 + self.reach}.")
        self.count += 1
        part = (result - self.mean) / self.count
        square = (result - self.mean) * part * (self.count - 1)
        self.mean += part
        self.cubes += square * part * (self.count - 2) - 3 * part * self.squares
        self.squares += square

    def bet(self, gap: float) -> tuple[float, float]:
        """Return the bet with which the capital grows fastest, and how fast, if the mean is `gap` above the claim.

        With a variance v and a skewness k, the growth of the capital's logarithm is about λ·gap − λ²v/2 + λ³k/3. A
        positive skewness does not raise the bet.
        """
        square = (FIRST_VARIANCE + self.squares) / (1 + self.count) + gap * gap
        cube = max(0.0, -self.cubes / (1 + self.count))
        size = gap / square
        if cube > ROUNDING:
            size = (sqrt(square * square + 4 * cube * gap) - square) / (2 * cube)
        size = min(size, MOST_LOST / (0.5 + self.reach))
        return size, size * (gap - size * (square / 2 + size * cube / 3))


class Gambler:
    """Bets that the mean of results is greater than somebody claims. Each is measured in one or more ways.

    All measures have the same mean; `reaches` are their limits. `gap` is the difference from a claim for which bets are
    best. Before each result, the measure on which the capital would grow fastest is chosen.
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

    def least(self) -> float:
        """Return the lower end of the 95 % interval: the mean up to which all claims are refuted."""
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            refuted = prod([bet.factor(middle) for bet in self.bets]) >= INTERVAL_LIMIT
            low, high = (middle, high) if refuted else (low, middle)
        return low


class Evidence(NamedTuple):
    """Two capitals: of bets that results are better than the lower claim, and worse than the upper one."""

    better: float = 1.0
    worse: float = 1.0


class Bets:
    """Two gamblers: one bets on high results, the other one on low ones, which are high if they are mirrored."""

    def __init__(self, gap: float, reaches: Sequence[float]) -> None:
        self.high, self.low = Gambler(gap, reaches), Gambler(gap, reaches)

    def __len__(self) -> int:
        return len(self.high.bets)

    @property
    def mean(self) -> float:
        """The mean of the results in the last measure."""
        return self.high.measures[-1].mean

    def add(self, result: Sequence[float], lower: float, upper: float) -> Evidence:
        """Bet on a result. Return the factors of the capitals against "at most `lower`" and "at least `upper`"."""
        high, low = self.high.add(result), self.low.add([1 - each for each in result])
        return Evidence(high.factor(lower), low.factor(1 - upper))

    def interval(self) -> tuple[float, float]:
        """Return both ends of the 95 % interval of the mean, which lies between 0 and 1."""
        return self.high.least(), 1 - self.low.least()
