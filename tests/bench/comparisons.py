"""Measures how often the verdict of a comparison is wrong, and after how many games it comes.

    python -m tests.bench.comparisons [--runs 2000] [--limit 800] [--only WORD]

It simulates comparisons deal by deal, and plays each by the present rule and by the former one, which needed results
with a known form (GSPRT, docs/adr/0027). The mean result of a deal's two games has the expected share of the tested
bound. It fails if the present rule is wrong in more than 5 % of the runs plus two standard errors.

- Kinds: the spread without luck that docs/benchmarks/luck.md gives, and the form of a normal distribution.
- *skewed*: a gamma distribution of shape 4; *tail*: an exponential one. Of losses (left) or of wins (right).
- *unchanged*: all deals are equal but for a few that are lost, or won: a bot with one rare change.
- *rare cost*: nearly all deals are equal and a little better, and one in 20 is lost. *rare gain* is its mirror image.
- *with luck*: a kind without a value function; both games of a deal are independent.
- *quick losses*: lost games are over first. All deals of a batch are counted together, in the deals' order, as a server
  does it.

The last rows break what the rule needs, to show why the server keeps to it. They are not judged. *as they arrive*: the
deals of a batch are counted when they are over, losses first. *one seed*: the eight deals of a batch are one and the
same.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Final

from scorebook_games.analysis.betting import ALPHA
from scorebook_games.analysis.comparison import (
    ACCEPTED,
    DEALS_PER_BATCH,
    EVEN,
    LUCK_REACH,
    MAX_DEALS,
    REJECTED,
    UNDECIDED,
    Bounds,
    SequentialTest,
    expected_share,
)

BOUNDS: Final = (Bounds(0, 20), Bounds(0, 50), Bounds(-20, 0))
# Standard deviation of a deal's mean without luck: √(raw variance / factor with shared deals / 2), against Sensible.
SPREADS: Final = {"palace": 0.11, "chinese_ten": 0.12, "platinum_fish": 0.18, "plates": 0.19, "plate_spinner": 0.26}
RARE: Final = 0.05
LONGEST_TAIL: Final = 6.0
Deal = tuple[float, float]  # as played, and without luck
Deals = Callable[[float, random.Random], Iterator[Deal]]  # of a share


def each_deal(draw: Callable[[float, random.Random], Deal]) -> Deals:
    """Return independent deals."""

    def deals(share: float, chance: random.Random) -> Iterator[Deal]:
        while True:
            yield draw(share, chance)

    return deals


def coins(share: float, chance: random.Random) -> float:
    """Draw the result of a deal with luck: two games, each won or lost independently."""
    return ((chance.random() < share) + (chance.random() < share)) / 2


def normal(spread: float) -> Deals:
    """Return deals without luck of a normal distribution."""

    def draw(share: float, chance: random.Random) -> Deal:
        distance = min(1.0, 1 + LUCK_REACH - share, LUCK_REACH + share)
        return coins(share, chance), share + max(-distance, min(distance, chance.gauss(0, spread)))

    return each_deal(draw)


def skewed(spread: float, direction: int) -> Deals:
    """Return deals with rare losses (`direction` −1) or rare wins, of a gamma distribution with shape 4."""

    def draw(share: float, chance: random.Random) -> Deal:
        while (far := chance.gammavariate(4, 1)) > 4 * LONGEST_TAIL / 2:
            pass
        return coins(share, chance), share + direction * spread * (far - MEAN_OF_GAMMA) / 2

    return each_deal(draw)


def tail(spread: float, direction: int) -> Deals:
    """Return deals with a long tail on one side only."""
    mean = 1 - math.exp(-LONGEST_TAIL)

    def draw(share: float, chance: random.Random) -> Deal:
        return coins(share, chance), share + direction * spread * (min(LONGEST_TAIL, chance.expovariate(1)) - mean)

    return each_deal(draw)


def rare(direction: int) -> Deals:
    """Return deals of which nearly all are equal. One in 20 is lost, or won, by play alone."""

    def draw(share: float, chance: random.Random) -> Deal:
        usual = (share - RARE * (direction > 0)) / (1 - RARE)
        return (usual, usual) if chance.random() >= RARE else (float(direction > 0),) * 2

    return each_deal(draw)


@each_deal
def unchanged(share: float, chance: random.Random) -> Deal:
    """Deals of a bot that plays nearly always as the other one does."""
    if chance.random() >= 2 * abs(share - EVEN):
        return EVEN, EVEN
    return (float(share > EVEN),) * 2


@each_deal
def with_luck(share: float, chance: random.Random) -> Deal:
    """A kind without a value function."""
    played = coins(share, chance)
    return played, played


def batches(share: float, chance: random.Random) -> Iterator[list[Deal]]:
    """Yield batches of deals of a kind without a value function."""
    deals = with_luck(share, chance)
    while True:
        yield [next(deals) for _ in range(DEALS_PER_BATCH)]


def quick_losses(share: float, chance: random.Random) -> Iterator[Deal]:
    """Lost deals are over first, but the deals of a batch are counted in their own order."""
    for batch in batches(share, chance):
        arrived = dict(sorted(enumerate(batch), key=lambda each: each[1]))
        yield from (arrived[number] for number in range(DEALS_PER_BATCH))


def as_they_arrive(share: float, chance: random.Random) -> Iterator[Deal]:
    """Deals are counted when they are over: lost ones first."""
    for batch in batches(share, chance):
        yield from sorted(batch)


def one_seed(share: float, chance: random.Random) -> Iterator[Deal]:
    """All deals of a batch are the same."""
    for batch in batches(share, chance):
        yield from batch[:1] * DEALS_PER_BATCH


MEAN_OF_GAMMA: Final = 3.97872  # of shape 4, cut off at 12
JUDGED: Final[dict[str, Deals]] = {
    "unchanged": unchanged,
    "rare cost": rare(-1),
    "rare gain": rare(1),
    "tail left": tail(0.12, -1),
    "tail right": tail(0.12, 1),
    "skewed left": skewed(0.12, -1),
    "skewed right": skewed(0.12, 1),
    **{kind: normal(spread) for kind, spread in SPREADS.items()},
    "with luck": with_luck,
    "quick losses": quick_losses,
}
BROKEN: Final[dict[str, Deals]] = {"as they arrive": as_they_arrive, "one seed": one_seed}


@dataclass(slots=True)
class FormerTest:
    """The rule of docs/adr/0027: the GSPRT in its normal approximation, on the results without luck."""

    bounds: Bounds
    max_deals: int
    deals: int = 0
    verdict: str | None = None
    _sum: float = 0.0
    _squares: float = 0.0

    def add(self, deal: Deal) -> None:
        """Count one more deal."""
        self._sum += deal[1]
        self._squares += deal[1] * deal[1]
        self.deals += 1
        share = self._sum / self.deals
        spread = max(0.05**2, self._squares / self.deals - share * share)
        worse, better = self.bounds.shares
        llr = self.deals * (better - worse) * (2 * share - worse - better) / (2 * spread)
        if self.deals >= 48 and abs(llr) >= math.log((1 - ALPHA) / ALPHA):
            self.verdict = ACCEPTED if llr > 0 else REJECTED
        elif self.deals >= self.max_deals:
            self.verdict = UNDECIDED


@dataclass(slots=True)
class Rates:
    """The verdicts of simulated comparisons, and the number of deals of each."""

    verdicts: Counter[str] = field(default_factory=Counter)
    deals: list[int] = field(default_factory=list)

    def add(self, verdict: str | None, deals: int) -> None:
        """Count one more comparison."""
        self.verdicts[verdict or UNDECIDED] += 1
        self.deals.append(deals)

    def rate(self, verdict: str) -> float:
        """Return how often this was the verdict."""
        return self.verdicts[verdict] / len(self.deals)


def simulate(bounds: Bounds, elo: float, name: str, runs: int, limit: int, *, former: bool = True) -> list[Rates]:
    """Play comparisons between bots that are `elo` points apart, by the present rule and by the `former` one."""
    source, share = {**JUDGED, **BROKEN}[name], expected_share(elo)
    present, before = Rates(), Rates()
    for run in range(runs):
        test, old = SequentialTest(bounds, limit), FormerTest(bounds, limit)
        deals = source(share, random.Random(f"{bounds} {elo} {name} {run}"))
        while not test.verdict or (former and not old.verdict):
            deal = next(deals)
            test.add(deal)
            if not old.verdict:
                old.add(deal)
        present.add(test.verdict, len(test.path))
        before.add(old.verdict, old.deals)
    return [present, before]


def is_too_often(rate: float, runs: int) -> bool:
    """Return whether a wrong verdict comes in more than 5 % of the runs plus two standard errors."""
    return rate > ALPHA + 2 * math.sqrt(ALPHA * (1 - ALPHA) / runs)


def main() -> int:
    """Print a row for each of the cases; return 1 if a rate is too high."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--limit", type=int, default=MAX_DEALS, help="deals after which a comparison is undecided")
    parser.add_argument("--only", default="", help="only cases with this word in their names")
    given = parser.parse_args()
    print(f"{given.runs} runs, at most {given.limit} deals of two games; the former rule in the last columns")
    print(
        "bounds     deals           truth  accepted rejected undecided   games: mean median   accepted rejected  mean"
    )
    failed = False
    for name in (*JUDGED, *BROKEN):
        if given.only not in name:
            continue
        for bounds in BOUNDS:
            for elo, wrong in ((bounds.elo0, ACCEPTED), (bounds.elo1, REJECTED)):
                present, former = simulate(bounds, elo, name, given.runs, given.limit)
                bad = is_too_often(present.rate(wrong), given.runs)
                failed = failed or (bad and name in JUDGED)
                shares = "".join(f"{100 * present.rate(each):8.1f}%" for each in (ACCEPTED, REJECTED, UNDECIDED))
                games = f"{2 * fmean(present.deals):11.0f} {2 * median(present.deals):6.0f}"
                old = "".join(f"{100 * former.rate(each):8.1f}%" for each in (ACCEPTED, REJECTED))
                mark = "  TOO OFTEN" * bad if name in JUDGED else "  not judged"
                print(
                    f"{bounds.elo0:4} {bounds.elo1:4}  {name:<15} {elo:+4.0f} {shares}{games}  {old}"
                    f"{2 * fmean(former.deals):6.0f}{mark}",
                    flush=True,
                )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
