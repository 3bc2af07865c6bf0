"""A first rating from a fixed panel: the likeliest Elo figure given results against bots whose figures stand. Pure.

The panel are the built-in bots. `HeuristicBot` is 1500 in every kind; how far the others are from it was measured over
hundreds of deals (docs/benchmarks/built-in-bots.md), and stands here for good, so that a figure means the same next
year. Where one of them wins nearly always, its distance is set to 400: more cannot be told from games that are all won.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

ANCHOR: Final = 1500.0
ELO_SCALE: Final = 400.0
Z_95: Final = 1.96  # a normal variable lies within ± Z in 95 % of cases
RANDOM_RATINGS: Final = {
    "chinese_ten": 1400.0,
    "palace": 1100.0,
    "plate_spinner": 1120.0,
    "plates": 1100.0,
    "platinum_fish": 1160.0,
}
STRONG_RATINGS: Final = {
    "chinese_ten": 1580.0,
    "palace": 1670.0,
    "plate_spinner": 1900.0,
    "plates": 1870.0,
    "platinum_fish": 1565.0,
}
PRIOR_DRAWS: Final = 2.0  # games drawn against 1500 that are counted with the rest: nobody's figure is endless
NEWTON_STEPS: Final = 50


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and half the width of its 95 % interval, from so many games."""

    rating: float
    half: float
    games: int

    def plain(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)


def panel_rating(kind: str, bot: str) -> float:
    """The panel's figure of a built-in bot."""
    return {"random": RANDOM_RATINGS, "strong": STRONG_RATINGS}.get(bot, {}).get(kind, ANCHOR)


def estimate(kind: str, results: Sequence[tuple[str, float]]) -> Estimate:
    """The figure of who made those `results`, (built-in bot, 1 | ½ | 0) each: Newton's method on the log-likelihood."""
    games = [(panel_rating(kind, bot), score, 1.0) for bot, score in results] + [(ANCHOR, 0.5, PRIOR_DRAWS)]
    slope, rating = math.log(10) / ELO_SCALE, ANCHOR
    for _ in range(NEWTON_STEPS):
        expected = [1 / (1 + math.exp(slope * (theirs - rating))) for theirs, _, _ in games]
        pull = sum(weight * (score - e) for (_, score, weight), e in zip(games, expected, strict=True))
        information = sum(weight * e * (1 - e) for (_, _, weight), e in zip(games, expected, strict=True))
        rating += max(-ELO_SCALE, min(ELO_SCALE, pull / (slope * information)))
    return Estimate(rating, Z_95 / (slope * math.sqrt(information)), len(results))


def interval_half_width(rating: float, others: Sequence[float]) -> float:
    """Half the width of the 95 % interval of a figure that was made in games against those of `others`."""
    slope = math.log(10) / ELO_SCALE
    expected = [1 / (1 + math.exp(slope * (theirs - rating))) for theirs in others]
    information = PRIOR_DRAWS / 4 + sum(e * (1 - e) for e in expected)
    return Z_95 / (slope * math.sqrt(information))
