"""What a seat may expect if each pair of seats plays a duel. Value functions spend much of their time here, so it is
compiled; classes are not (`scorebook_games.value`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import tanh
from typing import Final

EVEN: Final = 0.5


def duels(strengths: Sequence[float], scale: float) -> list[float]:
    """Return for each seat the mean of its chances to beat each of the others."""
    count = len(strengths)
    if count == 2:
        lead = EVEN * tanh((strengths[0] - strengths[1]) / scale)
        return [EVEN + lead, EVEN - lead]
    values = [EVEN] * count
    for seat, mine in enumerate(strengths):
        for other in range(seat):
            lead = EVEN * tanh((mine - strengths[other]) / scale) / (count - 1)
            values[seat] += lead
            values[other] -= lead
    return values


def network_duels(
    features: Sequence[list[float]],
    spread: list[float],
    units: list[list[float]],
    bias: list[float],
    out: list[float],
) -> list[float]:
    """Return the same if a network says how likely each duel is won (`scorebook_games.value.NetworkValue`)."""
    count = len(features)
    values = [EVEN] * count
    for seat, mine in enumerate(features):
        for other in range(seat):
            theirs = features[other]
            here, there = mine + theirs + spread, theirs + mine + spread
            places = [place for place, each in enumerate(here) if each or there[place]]  # many features are 0
            lead = 0.0
            for at, unit in enumerate(units):
                one = another = 0.0
                for place in places:
                    weight = unit[place]
                    one += weight * here[place]
                    another += weight * there[place]
                lead += out[at] * (tanh(bias[at] + one) - tanh(bias[at] + another))
            chance = EVEN * tanh(EVEN * lead) / (count - 1)
            values[seat] += chance
            values[other] -= chance
    return values
