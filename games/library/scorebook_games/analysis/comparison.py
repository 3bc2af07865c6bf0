"""Comparisons: is one bot better than another?

They play shared deals, each from every seat. The unit is a deal: the mean of the bot's results, 0 to 1, in its games,
because games of one deal depend on each other. The author picks two claims, such as "better by 0 at most" and "better
by 20 or more" in Elo points. A gambler bets against each (`scorebook_games.analysis.betting`). The comparison ends as
soon as one claim is refuted: accepted if the first is, rejected if the second is. Each verdict is wrong with a risk of
5 % at most, whatever the spread and the form of the results. The interval of the bot's share of the points comes from
the same bets.

A deal's result is given as it was played and, if there are ledgers of its games, also without luck. The sum of a game's
luck is kept between −`LUCK_REACH` and `LUCK_REACH` so that its mean stays 0 (`Ledger.bounded_luck`). So the result
without luck has limits too, which bets need.

Deals must be independent and counted in their order. Players learn nothing from one deal for the next, and no deal is
counted before all deals of its batch are over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scorebook_games.analysis.betting import LIMIT, Bets, Evidence

DEALS_PER_BATCH: Final = 8  # deals that are open at a time
MAX_DEALS: Final = 800
INTERVAL_GAP: Final = 0.1  # the difference of shares for which an interval is narrow, where no claims are tested
LUCK_REACH: Final = 0.75  # the most that luck may count in a game
REACHES: Final = (0.0, LUCK_REACH)  # how far a deal's result may lie beyond 0 and 1: as played, and without luck
EVEN: Final = 0.5  # the share of points if both are equal
MAX_ELO: Final = 400
MIN_GAP: Final = 5  # Elo points between the two claims; a smaller gap takes more deals than anybody plays

ACCEPTED, REJECTED, UNDECIDED = "accepted", "rejected", "undecided"  # verdicts
DealResult = Sequence[float]  # the mean of a deal's games as played, and without luck; the same where no luck is known


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
        return not self.low <= EVEN <= self.high


def interval_of(deals: Iterable[DealResult]) -> ShareInterval:
    """Return the share of the points in these deals."""
    bets = Bets(INTERVAL_GAP, REACHES)
    for deal in deals:
        bets.add(deal, EVEN, EVEN)
    return share_of_bets(bets)


def share_of_bets(bets: Bets) -> ShareInterval:
    """Return the share of the points in the deals that were bet on: the mean without luck, within the interval."""
    if not len(bets):
        return ShareInterval(EVEN, 0.0, 1.0, 0)
    low, high = bets.interval()
    return ShareInterval(min(high, max(low, bets.mean)), low, high, len(bets))


@dataclass(frozen=True, slots=True)
class Bounds:
    """Two claims: the bot is better by `elo1` Elo points or more, or by `elo0` at most."""

    elo0: int = 0
    elo1: int = 20

    @property
    def valid(self) -> bool:
        """Whether a comparison can be played with them."""
        return -MAX_ELO <= self.elo0 <= self.elo1 - MIN_GAP and self.elo1 <= MAX_ELO

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of points that the claims expect."""
        return expected_share(self.elo0), expected_share(self.elo1)


DEFAULT_BOUNDS: Final = Bounds()


def expected_share(elo: float) -> float:
    """Return the share of points that a bot takes of one that is `elo` points weaker."""
    return 1 / (1 + 10 ** (-elo / 400))


class SequentialTest:
    """A test of `bounds`. `path` has the capitals after each deal, and ends with the deal that decided it."""

    def __init__(self, bounds: Bounds, max_deals: int = MAX_DEALS) -> None:
        self.bounds, self.max_deals = bounds, max_deals
        self.lower, self.upper = bounds.shares
        self.bets = Bets(self.upper - self.lower, REACHES)
        self.path: list[Evidence] = []
        self.verdict: str | None = None

    @property
    def evidence(self) -> Evidence:
        """The capitals now."""
        return self.path[-1] if self.path else Evidence()

    def add(self, deal: DealResult) -> None:
        """Count one more deal, unless there is a verdict. Raises ValueError if its result is not within the limits."""
        if self.verdict:
            return
        now, factors = self.evidence, self.bets.add(deal, self.lower, self.upper)
        now = Evidence(now.better * factors.better, now.worse * factors.worse)
        self.path.append(now)
        if max(now) >= LIMIT:
            self.verdict = ACCEPTED if now.better >= now.worse else REJECTED
        elif len(self.path) >= self.max_deals:
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
            "evidence": rounded(test.evidence),
            "evidence_limit": LIMIT,
            "path": [rounded(each) for each in test.path],
            "verdict": test.verdict,
        }


def rounded(evidence: Evidence) -> dict[str, float]:
    """Return capitals as JSON data."""
    return {name: float(f"{capital:.3g}") for name, capital in evidence._asdict().items()}


def compare(deals: Iterable[DealResult], bounds: Bounds) -> ComparisonResult:
    """Return what the deals say so far. Deals after the one that decided are not counted."""
    test = SequentialTest(bounds)
    for deal in deals:
        test.add(deal)
    return ComparisonResult(share_of_bets(test.bets), test)
