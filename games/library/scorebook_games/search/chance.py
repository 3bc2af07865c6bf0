"""Chance inside the search: from the bot's own `rng` alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from games.engines.base import Draw

T = TypeVar("T")


class DrawDealer:
    """A dealer for moves that are only imagined, whatever the label."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:  # noqa: ARG002  no draw is repeated
        """For each bound b an integer 0 … b−1."""
        return [int(self.draw() * bound) for bound in bounds]

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:  # noqa: ARG002
        """`items` in a random order."""
        return shuffled(items, self.draw)

    def dice(self, label: str, count: int) -> list[int]:  # noqa: ARG002
        """`count` six-sided dice."""
        return [1 + int(self.draw() * 6) for _ in range(count)]


def shuffled(items: Sequence[T], draw: Draw) -> list[T]:
    """`items` in a random order: half as long as `random.shuffle` takes."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        place = int(draw() * (last + 1))
        order[last], order[place] = order[place], order[last]
    return order
