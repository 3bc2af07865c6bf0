"""Comparisons: is one bot better than another?

They play shared deals, each from every seat, until the answer is certain.

The unit is a deal: the mean of the bot's results, 0 to 1, in its games. The interval of the mean is valid at every look
(an asymptotic confidence sequence: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, with its parameter chosen for
`OPTIMAL_DEALS` deals). So a comparison may stop as soon as the interval excludes one half.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

DEALS_PER_BATCH: Final = 8  # deals between two looks
MIN_DEALS: Final = 16  # deals before a result is given
MAX_DEALS: Final = 160
ALPHA: Final = 0.05
OPTIMAL_DEALS: Final = 60
MIN_SPREAD: Final = 0.05  # of the deals' means, because a few equal results give no certainty
EVEN: Final = 0.5  # the share of points if both are equal


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """A bot's share of the points, and its 95 % interval."""

    share: float
    low: float
    high: float
    deals: int

    @property
    def sure(self) -> bool:
        """Whether one of the two bots is better."""
        return self.deals >= MIN_DEALS and not self.low <= EVEN <= self.high

    @property
    def finished(self) -> bool:
        """Whether no more deals need to be played."""
        return self.sure or self.deals >= MAX_DEALS

    def plain(self) -> dict[str, Any]:
        """Return the result as JSON data; share, low and high are null while no deal is over from every seat."""
        known = asdict(self) if self.deals else dict.fromkeys(("share", "low", "high"), None)
        return {**known, "deals": self.deals, "sure": self.sure}


def result_so_far(means: Sequence[float]) -> ComparisonResult:
    """Return what the deals' means say so far."""
    n = len(means)
    if not n:
        return ComparisonResult(EVEN, 0.0, 1.0, 0)
    share = sum(means) / n
    spread = max(MIN_SPREAD**2, sum((each - share) ** 2 for each in means) / n)
    rho = (-2 * math.log(ALPHA) + math.log(-2 * math.log(ALPHA)) + 1) / (OPTIMAL_DEALS * spread)  # the square of rho
    inside = n * spread * rho + 1
    half = math.sqrt(2 * inside / (n * n * rho) * math.log(math.sqrt(inside) / ALPHA))
    return ComparisonResult(share, max(0.0, share - half), min(1.0, share + half), n)


def points_share(placings: Sequence[int], seat: int) -> float:
    """Return the share of opponents that `seat` finished ahead of; a shared place counts half."""
    own = placings[seat]
    before = sum([place > own for place in placings])
    return (before + (placings.count(own) - 1) / 2) / (len(placings) - 1)
