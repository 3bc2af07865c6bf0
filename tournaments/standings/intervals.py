"""The interval of a sum that is known from its parts. No database."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import variance
from typing import Final

MIN_ROUNDS: Final = 3  # with a match, from which on an interval is shown
MIN_HALF: Final = 0.05  # so that no interval is shown as ± 0.0, as rounds with equal results would give
# The 0.975 quantiles of Student's t for 1, 2, … degrees of freedom; beyond, that of the normal distribution serves.
T_QUANTILES: Final = (
    *(12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13),
    *(2.12, 2.11, 2.10, 2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05, 2.04),
)
NORMAL_QUANTILE: Final = 1.96


def interval_of_sum(sample: Sequence[float]) -> float | None:
    """Return half of the 95 % interval of the sum of as many values as the sample has; None for a sample that is small
    or whose values are equal."""
    if len(sample) < MIN_ROUNDS:
        return None
    degrees = len(sample) - 1
    quantile = T_QUANTILES[degrees - 1] if degrees <= len(T_QUANTILES) else NORMAL_QUANTILE
    half = quantile * sqrt(variance(sample) * len(sample))
    return half if half >= MIN_HALF else None
