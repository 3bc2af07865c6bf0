"""The interval of a sum that is known from its parts. No database."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import variance
from typing import Final

from scorebook_games.analysis.student import t_quantile

MIN_ROUNDS: Final = 3  # with a match, from which on an interval is shown
MIN_HALF: Final = 0.05  # so that no interval is shown as ± 0.0, as rounds with equal results would give


def interval_of_sum(sample: Sequence[float]) -> float | None:
    """Return half of the 95 % interval of the sum of as many values as the sample has; None for a sample that is small
    or whose values are equal."""
    if len(sample) < MIN_ROUNDS:
        return None
    half = t_quantile(len(sample) - 1) * sqrt(variance(sample) * len(sample))
    return half if half >= MIN_HALF else None
