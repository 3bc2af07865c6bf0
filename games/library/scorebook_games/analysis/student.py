"""Student's t: how much wider a 95 % interval must be if the spread is known from few values only."""

from __future__ import annotations

from typing import Final

# The 0.975 quantiles for 1, 2, … degrees of freedom; beyond, that of the normal distribution serves.
T_QUANTILES: Final = (
    *(12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13),
    *(2.12, 2.11, 2.10, 2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05, 2.04),
)
NORMAL_QUANTILE: Final = 1.96


def t_quantile(degrees: int) -> float:
    """Return the 0.975 quantile for so many degrees of freedom, from 1."""
    return T_QUANTILES[degrees - 1] if degrees <= len(T_QUANTILES) else NORMAL_QUANTILE


def widened(count: int) -> float:
    """Return by how much an error that is estimated from `count` values must be widened, so that two of them make a
    95 % interval as they do for many values. One value says nothing of its error; it counts as two."""
    return t_quantile(max(1, count - 1)) / NORMAL_QUANTILE
