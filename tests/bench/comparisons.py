"""Measures how often the verdict of a comparison is wrong, and after how many games it comes.

    python -m tests.bench.comparisons [--runs 2000] [--limit 800]

It simulates comparisons deal by deal. The mean result of a deal's two games has the expected share of the tested bound
and the spread that docs/benchmarks/luck.md gives for the kind, with and without luck. It fails if a wrong verdict comes
in more than 5 % of the runs plus two standard errors.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final

from scorebook_games.analysis.comparison import (
    ACCEPTED,
    ALPHA,
    MAX_DEALS,
    REJECTED,
    Bounds,
    SequentialTest,
    expected_share,
)

BOUNDS: Final = (Bounds(0, 20), Bounds(0, 50), Bounds(-20, 0))
# Standard deviation of a deal's mean without luck: √(raw variance / factor with shared deals / 2), against Sensible.
SPREADS: Final = {"palace": 0.11, "chinese_ten": 0.12, "platinum_fish": 0.18, "plates": 0.19, "plate_spinner": 0.26}


def normal(share: float, spread: float, chance: random.Random) -> float:
    """Draw the result of a deal without luck from a normal distribution."""
    return chance.gauss(share, spread)


def skewed(share: float, spread: float, chance: random.Random) -> float:
    """Draw the result of a deal that is seldom very good, from the gamma distribution with shape 16."""
    return share + spread * (chance.gammavariate(16, 1) - 16) / 4


def as_played(share: float, spread: float, chance: random.Random) -> float:
    """Draw the result of a deal with luck: two games, each won or lost independently."""
    return ((chance.random() < share) + (chance.random() < share)) / 2


@dataclass(frozen=True, slots=True)
class Rates:
    """The counts of verdicts of simulated comparisons, and the number of deals of each comparison."""

    verdicts: Counter[str]
    deals: list[int]

    def rate(self, verdict: str) -> float:
        """Return how often this was the verdict."""
        return self.verdicts[verdict] / len(self.deals)


Draw = Callable[[float, float, random.Random], float]


def simulate(bounds: Bounds, elo: float, draw: Draw, spread: float, runs: int, limit: int) -> Rates:
    """Play comparisons between bots that are `elo` points apart."""
    share, chance, rates = expected_share(elo), random.Random(f"{bounds} {elo} {draw.__name__} {spread}"), []
    verdicts: Counter[str] = Counter()
    for _ in range(runs):
        test = SequentialTest(bounds, limit)
        while not test.verdict:
            test.add(draw(share, spread, chance))
        verdicts[test.verdict] += 1
        rates.append(len(test.path))
    return Rates(verdicts, rates)


def is_too_often(rate: float, runs: int) -> bool:
    """Return whether a wrong verdict comes in more than 5 % of the runs plus two standard errors."""
    return rate > ALPHA + 2 * math.sqrt(ALPHA * (1 - ALPHA) / runs)


def main() -> int:
    """Print a row for each of the cases; return 1 if a rate is too high."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--limit", type=int, default=MAX_DEALS, help="deals after which a comparison is undecided")
    given = parser.parse_args()
    cases: list[tuple[str, Draw, float]] = [(name, normal, spread) for name, spread in SPREADS.items()]
    cases += [("chinese_ten, skewed", skewed, SPREADS["chinese_ten"]), ("any, with luck", as_played, 0.0)]
    print(f"{given.runs} runs, at most {given.limit} deals of two games")
    print("bounds      deals              truth  accepted rejected undecided   games: mean median")
    failed = False
    for bounds in BOUNDS:
        for name, draw, spread in cases:
            for elo in (bounds.elo0, (bounds.elo0 + bounds.elo1) / 2, bounds.elo1):
                rates = simulate(bounds, elo, draw, spread, given.runs, given.limit)
                wrong = {bounds.elo0: ACCEPTED, bounds.elo1: REJECTED}.get(int(elo)) if elo == int(elo) else None
                bad = bool(wrong) and is_too_often(rates.rate(str(wrong)), given.runs)
                failed = failed or bad
                shares = "".join(f"{100 * rates.rate(each):8.1f}%" for each in (ACCEPTED, REJECTED, "undecided"))
                games = f"{2 * fmean(rates.deals):11.0f} {2 * median(rates.deals):6.0f}"
                print(f"{bounds.elo0:4} {bounds.elo1:4}   {name:<19} {elo:+4.0f} {shares}{games}{'  TOO OFTEN' * bad}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
