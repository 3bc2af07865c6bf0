"""Measures whether the 95 % intervals of the official table contain the truth in 95 % of cases.

    python -m tests.bench.plackett_luce [--trials 200]

It draws seasons of bots with known strengths at random. For each sort of season it prints how often the true strength,
the true place and the true chance of each pair were in their intervals, and how long a fit takes. It fails below .90.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from dataclasses import dataclass, field
from statistics import fmean, median

from scorebook_games.analysis.plackett_luce import MEAN_RATING, UNIT, Fit, GamePlacings

LEAST = 0.90
SPREAD = 0.5  # standard deviation of θ, about 87 Elo


@dataclass(frozen=True)
class Sort:
    """A sort of season: its number of bots, seats of a table, and games of a bot."""

    bots: int
    seats: int
    games: int
    drawn: float = 0.0  # the chance that two neighbours in a game's order share a place
    spread: float = SPREAD


SORTS = [
    Sort(4, 2, 12),
    Sort(8, 2, 28),
    Sort(12, 2, 66),
    Sort(12, 4, 40),
    Sort(20, 4, 60),
    Sort(8, 2, 28, drawn=0.2),
    Sort(12, 4, 40, drawn=0.2),
    Sort(8, 2, 56, spread=1.5),
    Sort(8, 2, 56, spread=0.05),
]


@dataclass
class Found:
    """For each estimate, whether its interval contained the truth; and the ms of each fit."""

    strengths: list[bool] = field(default_factory=list)
    places: list[bool] = field(default_factory=list)
    pairs: list[bool] = field(default_factory=list)
    decided: list[float] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)


def play(theta: list[float], seated: list[int], sort: Sort, chance: random.Random) -> GamePlacings:
    """Play a game by the Plackett–Luce model, which fills the places in order."""
    left, order = list(seated), []
    while left:
        weights = [math.exp(theta[bot]) for bot in left]
        order.append(left.pop(chance.choices(range(len(left)), weights)[0]))
    places = [1]
    for place in range(2, len(order) + 1):
        places.append(places[-1] if chance.random() < sort.drawn else place)
    return order, places


def season(theta: list[float], sort: Sort, chance: random.Random) -> list[GamePlacings]:
    """Play games at random tables until each bot has about `sort.games` games."""
    games = []
    for _ in range(sort.bots * sort.games // sort.seats):
        games.append(play(theta, chance.sample(range(sort.bots), sort.seats), sort, chance))
    return games


def trial(sort: Sort, chance: random.Random, found: Found) -> None:
    theta = [chance.gauss(0, sort.spread) for _ in range(sort.bots)]
    middle = fmean(theta)
    games = season(theta, sort, chance)
    begun = time.perf_counter()
    fit = Fit(range(sort.bots), games)
    found.ms.append(1000 * (time.perf_counter() - begun))
    for strength in fit.strengths:
        bot = strength.player
        truth = MEAN_RATING + UNIT * (theta[bot] - middle)
        found.strengths.append(abs(strength.rating - truth) <= strength.half)
        place = 1 + sum(other > theta[bot] for other in theta)
        found.places.append(strength.low <= place <= strength.high)
        for other in range(bot):
            chance_of = fit.chance(bot, other)
            real = 1 / (1 + math.exp(theta[other] - theta[bot]))
            found.pairs.append(chance_of.low <= real <= chance_of.high)
    found.decided.append(fit.decided / sort.bots)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    asked = parser.parse_args()
    chance = random.Random(2026)
    print(f"{asked.trials} seasons of each sort; how often the 95 % interval contained the truth")
    print("bots  table  games a bot  drawn  spread of θ | strength  place  pair | places decided  ms a fit")
    worst = 1.0
    for sort in SORTS:
        found = Found()
        for _ in range(asked.trials):
            trial(sort, chance, found)
        held = [fmean(each) for each in (found.strengths, found.places, found.pairs)]
        worst = min(worst, *held)
        print(
            f"{sort.bots:4}  {sort.seats:5}  {sort.games:11}  {sort.drawn:5.1f}  {sort.spread:11.2f} | "
            f"{held[0]:8.3f}  {held[1]:5.3f}  {held[2]:.3f} | {fmean(found.decided):14.2f}  {median(found.ms):8.1f}"
        )
    print(f"worst {worst:.3f}, aim {LEAST:.2f} at least: {'met' if worst >= LEAST else 'NOT MET'}")
    return 0 if worst >= LEAST else 1


if __name__ == "__main__":
    raise SystemExit(main())
