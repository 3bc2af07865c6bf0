"""A first rating: the most likely Elo rating, given results against bots with fixed ratings. Pure.

The panel are the built-in bots. `HeuristicBot` has 1500 in every kind. The distance of the others from it was measured
over hundreds of deals (docs/benchmarks/built-in-bots.md). It is stored in the folder of each kind and does not change,
so a rating means the same next year. If a bot wins nearly always, its distance is set to 400, because won games cannot
show more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from scorebook_games.registry import KINDS

ANCHOR: Final = 1500.0
ELO_SCALE: Final = 400.0
Z_95: Final = 1.96  # a normal variable lies within ± Z in 95 % of cases
PRIOR_DRAWS: Final = 2.0  # games drawn against 1500 that are added, so that no rating is infinite
NEWTON_STEPS: Final = 50


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rating, half the width of its 95 % interval, and the number of games."""

    rating: float
    half: float
    games: int

    def plain(self) -> dict[str, Any]:
        """Return the estimate as JSON data."""
        return asdict(self)


def panel_rating(kind: str, bot: str) -> float:
    """Return the panel's rating of a built-in bot."""
    return KINDS[kind].bots.ratings.get(bot, ANCHOR)


def estimate(kind: str, results: Sequence[tuple[str, float]]) -> Estimate:
    """Return the rating of a player with these `results`, each (built-in bot, 1 | ½ | 0).

    It is found by Newton's method on the log-likelihood.
    """
    games = [(panel_rating(kind, bot), score, 1.0) for bot, score in results] + [(ANCHOR, 0.5, PRIOR_DRAWS)]
    slope, rating = math.log(10) / ELO_SCALE, ANCHOR
    for _ in range(NEWTON_STEPS):
        expected = [1 / (1 + math.exp(slope * (theirs - rating))) for theirs, _, _ in games]
        pull = sum(weight * (score - e) for (_, score, weight), e in zip(games, expected, strict=True))
        information = sum(weight * e * (1 - e) for (_, _, weight), e in zip(games, expected, strict=True))
        rating += max(-ELO_SCALE, min(ELO_SCALE, pull / (slope * information)))
    return Estimate(rating, Z_95 / (slope * math.sqrt(information)), len(results))


def interval_half_width(rating: float, others: Sequence[float]) -> float:
    """Return half the width of the 95 % interval of a rating from games against opponents with the ratings `others`."""
    slope = math.log(10) / ELO_SCALE
    expected = [1 / (1 + math.exp(slope * (theirs - rating))) for theirs in others]
    information = PRIOR_DRAWS / 4 + sum(e * (1 - e) for e in expected)
    return Z_95 / (slope * math.sqrt(information))
