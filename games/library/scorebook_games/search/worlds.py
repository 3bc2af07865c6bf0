"""The worlds of a kind: the states that a seat may be in."""

from __future__ import annotations

import random
from typing import Protocol, TypeVar

from scorebook_games.contract import State

S_co = TypeVar("S_co", bound=State, covariant=True)


class Worlds(Protocol[S_co]):
    """All worlds that a seat may be in. Made once for each move, from its observation alone."""

    def sample(self, rng: random.Random) -> S_co:
        """Return a random state in which the seat would get the same observation. The caller may change it."""
