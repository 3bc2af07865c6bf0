"""Turns an observation or a move into numbers, for any kind, by feature hashing (Weinberger et al., 2009).

Each fact is a token such as ``phase=play`` or ``seats.0.upper=7``. CRC-32 of the token chooses a place in a vector of
fixed length, and the fact's weight is added there. So a new kind needs no code, and a bot can compute the same numbers
with a few lines of the standard library. Two facts may share a place; a longer vector makes this rarer.

The seat's own entry comes first in lists with one entry a seat (`seats`, `scores`), so that all seats look alike.
"""

from __future__ import annotations

import math
from typing import Any, Final
from zlib import crc32

BY_SEAT: Final = ("seats", "scores")
# The same in every position of a game, or added by a table to what the rules show.
LEFT_OUT: Final = ("options", "version", "left", "taken_over", "outcome", "beat", "ready")


def observation_features(observation: dict[str, Any], seat: int, size: int) -> dict[int, float]:
    """Return the places of a vector of `size` that are not 0, with their numbers, for what `seat` knows."""
    features: dict[int, float] = {}
    for key, value in observation.items():
        if key in LEFT_OUT:
            continue
        if key in BY_SEAT and isinstance(value, list):
            for place, entry in enumerate(value[seat:] + value[:seat]):
                _add(features, f"{key}.{place}", entry, seat, size)
        else:
            _add(features, key, value, seat, size)
    return features


def move_features(move: str, size: int) -> dict[int, float]:
    """Return the places of a vector of `size` that are not 0, with their numbers, for the text of a move."""
    features: dict[int, float] = {}
    words = move.split()
    tokens = [move, *(f"{place} {word}" for place, word in enumerate(words))]
    tokens += [f"{words[0]} {letter}" for word in words[1:] for letter in word]
    for token in tokens:
        _count(features, token, 1.0, size)
    return features


def _add(features: dict[int, float], path: str, value: Any, seat: int, size: int) -> None:
    if isinstance(value, str):
        _count(features, f"{path}={value}", 1.0, size)
    elif isinstance(value, dict):
        for key, entry in value.items():
            _add(features, f"{path}.{key}", entry, seat, size)
    elif isinstance(value, list):
        _count(features, f"{path}#", math.log1p(len(value)) / 4, size)
        for entry in value:  # as a set: in which place a card lies seldom matters, except the last
            _add(features, path, entry, seat, size)
        if value:
            _add(features, f"{path}$", value[-1], seat, size)
    elif isinstance(value, bool) or value is None:
        _count(features, f"{path}={value}", 1.0, size)
    else:
        _count(features, f"{path}:", math.copysign(math.log1p(abs(value)) / 4, value), size)
        _count(features, f"{path}={value}", 1.0, size)
        if value == seat:
            _count(features, f"{path}=me", 1.0, size)


def _count(features: dict[int, float], token: str, weight: float, size: int) -> None:
    place = crc32(token.encode()) % size
    features[place] = features.get(place, 0.0) + weight
