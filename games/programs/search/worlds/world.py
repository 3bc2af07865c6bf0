"""What a kind's worlds are."""

from __future__ import annotations

import random
from typing import Protocol, TypeVar

from games.engines.base import State

S_co = TypeVar("S_co", bound=State, covariant=True)


class Worlds(Protocol[S_co]):
    """Every world that a seat may be in. Made once for a move, from its observation alone."""

    def sample(self, rng: random.Random) -> S_co:
        """A state by lot in which the seat would be shown the same observation. It is the caller's to play on."""
