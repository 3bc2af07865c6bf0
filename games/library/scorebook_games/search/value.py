"""What a result is worth to each seat."""

from __future__ import annotations

from collections.abc import Sequence


def shares(scores: Sequence[float], scale: float, margin: float = 0.5) -> list[float]:
    """For each of `scores`, of which the highest is the best, 0 … 1: its mean against each of the others.

    A duel is worth 1 if it is won, 0 if it is lost and one half if it is tied; `margin` of that is how clear it is,
    which reaches its end at a difference of `scale`.
    """
    others = len(scores) - 1
    return [
        sum([duel(mine - other, scale, margin) for place, other in enumerate(scores) if place != seat]) / others
        for seat, mine in enumerate(scores)
    ]


def duel(ahead: float, scale: float, margin: float) -> float:
    """A lead of `ahead` points over one other seat."""
    won = 1.0 if ahead > 0 else 0.0 if ahead < 0 else 0.5
    clear = 0.5 + 0.5 * max(-1.0, min(1.0, ahead / scale))
    return (1 - margin) * won + margin * clear
