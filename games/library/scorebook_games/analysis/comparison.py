"""Comparisons: is one bot better than another?

They play shared deals, each from every seat. The unit is a deal: the mean of the bot's results, 0 to 1, in its games,
because games of one deal depend on each other. Two things are computed from the means:

- An interval of the bot's share of the points, which is valid at every look (an asymptotic confidence sequence:
  Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, with its parameter chosen for `OPTIMAL_DEALS` deals).
- A sequential test of two hypotheses that the author picks, such as "better by 20" against "better by 0", in Elo
  points. It is the generalised sequential probability ratio test (GSPRT) in its normal approximation: M. Van den
  Bergh, "A practical introduction to the GSPRT" (2018); the idea is of Kulldorff, Davis, Kolczak, Lewis, Lieu and
  Platt (2011). The comparison ends as soon as the log-likelihood ratio (LLR) reaches `LLR_LIMIT` on either side.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

DEALS_PER_BATCH: Final = 8  # deals that are open at a time
MIN_DEALS: Final = 16  # deals before an interval is given
MIN_TEST_DEALS: Final = 48  # deals before a verdict: the spread of fewer deals is known too badly
MAX_DEALS: Final = 800
ALPHA: Final = 0.05  # the risk of each of the two wrong verdicts
LLR_LIMIT: Final = math.log((1 - ALPHA) / ALPHA)
OPTIMAL_DEALS: Final = 60
MIN_SPREAD: Final = 0.05  # of the deals' means, because a few equal results give no certainty
EVEN: Final = 0.5  # the share of points if both are equal
MAX_ELO: Final = 400
MIN_GAP: Final = 5  # Elo points between the two bounds; a smaller gap takes more deals than anybody plays

ACCEPTED, REJECTED, UNDECIDED = "accepted", "rejected", "undecided"  # verdicts


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """A bot's share of the points in `deals` deals, and its 95 % interval."""

    share: float
    low: float
    high: float
    deals: int

    @property
    def sure(self) -> bool:
        """Whether one of the two bots is better."""
        return self.deals >= MIN_DEALS and not self.low <= EVEN <= self.high


def interval_of(means: Sequence[float]) -> ShareInterval:
    """Return the share of the points in these deals. Points without luck may lie beyond 0 and 1; a share does not."""
    n = len(means)
    if not n:
        return ShareInterval(EVEN, 0.0, 1.0, 0)
    share = sum(means) / n
    spread = max(MIN_SPREAD**2, sum((each - share) ** 2 for each in means) / n)
    rho = (-2 * math.log(ALPHA) + math.log(-2 * math.log(ALPHA)) + 1) / (OPTIMAL_DEALS * spread)  # the square of rho
    inside = n * spread * rho + 1
    half = math.sqrt(2 * inside / (n * n * rho) * math.log(math.sqrt(inside) / ALPHA))
    low, middle, high = (min(1.0, max(0.0, each)) for each in (share - half, share, share + half))
    return ShareInterval(middle, low, high, n)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Two hypotheses: the bot is better by `elo1` Elo points (accepted), or only by `elo0` (rejected)."""

    elo0: int = 0
    elo1: int = 20

    @property
    def valid(self) -> bool:
        """Whether a comparison can be played with them."""
        return -MAX_ELO <= self.elo0 <= self.elo1 - MIN_GAP and self.elo1 <= MAX_ELO


DEFAULT_BOUNDS: Final = Bounds()


def expected_share(elo: float) -> float:
    """Return the share of points that a bot takes of one that is `elo` points weaker."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(slots=True)
class SequentialTest:
    """A test of `bounds`. `path` has the LLR after each deal, and ends with the deal that decided it."""

    bounds: Bounds
    max_deals: int = MAX_DEALS
    path: list[float] = field(default_factory=list)
    verdict: str | None = None
    _sum: float = 0.0
    _squares: float = 0.0

    def add(self, mean: float) -> None:
        """Count one more deal, unless there is a verdict."""
        if self.verdict:
            return
        self._sum += mean
        self._squares += mean * mean
        n = len(self.path) + 1
        share = self._sum / n
        spread = max(MIN_SPREAD**2, self._squares / n - share * share)
        worse, better = expected_share(self.bounds.elo0), expected_share(self.bounds.elo1)
        llr = n * (better - worse) * (2 * share - worse - better) / (2 * spread)
        self.path.append(llr)
        if n >= MIN_TEST_DEALS and abs(llr) >= LLR_LIMIT:
            self.verdict = ACCEPTED if llr > 0 else REJECTED
        elif n >= self.max_deals:
            self.verdict = UNDECIDED


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """What the deals of a comparison say: the test, and the share of the points in the deals that it counts."""

    points: ShareInterval
    test: SequentialTest

    def plain(self) -> dict[str, Any]:
        """Return the result as JSON data; share, low and high are null while no deal is over from every seat."""
        points, test = self.points, self.test
        known = (points.share, points.low, points.high) if points.deals else (None, None, None)
        return {
            **dict(zip(("share", "low", "high"), known, strict=True)),
            "deals": points.deals,
            "elo0": test.bounds.elo0,
            "elo1": test.bounds.elo1,
            "llr": round(test.path[-1], 4) if test.path else 0.0,
            "llr_limit": round(LLR_LIMIT, 4),
            "path": [round(llr, 3) for llr in test.path],
            "verdict": test.verdict,
        }


def compare(means: Iterable[float], bounds: Bounds) -> ComparisonResult:
    """Return what the deals' means say so far. Deals after the one that decided are not counted."""
    test = SequentialTest(bounds)
    counted = list(means)
    for mean in counted:
        test.add(mean)
    return ComparisonResult(interval_of(counted[: len(test.path)]), test)


def points_share(placings: Sequence[int], seat: int) -> float:
    """Return the share of opponents that `seat` finished ahead of; a shared place counts half."""
    own = placings[seat]
    before = sum([place > own for place in placings])
    return (before + (placings.count(own) - 1) / 2) / (len(placings) - 1)
