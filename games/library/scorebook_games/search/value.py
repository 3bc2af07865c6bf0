"""The value of a result for each seat."""

from __future__ import annotations

from collections.abc import Sequence


def shares(scores: Sequence[float], scale: float, margin: float = 0.5) -> list[float]:
    """Return the value of each of `scores` from 0 to 1: the mean over its duels with the others.

    The highest score is best.

    A duel is worth 1 if won, 0 if lost and one half if tied. A part of this, `margin`, measures the lead instead, and
    reaches its end at a lead of `scale` points.
    """
    others = len(scores) - 1
    return [
        sum([duel(mine - other, scale, margin) for place, other in enumerate(scores) if place != seat]) / others
        for seat, mine in enumerate(scores)
    ]


def duel(ahead: float, scale: float, margin: float) -> float:
    """Return the value of a lead of `ahead` points over one other seat."""
    won = 1.0 if ahead > 0 else 0.0 if ahead < 0 else 0.5
    clear = 0.5 + 0.5 * max(-1.0, min(1.0, ahead / scale))
    return (1 - margin) * won + margin * clear
