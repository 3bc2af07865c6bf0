"""A guide to Chinese Ten."""

from __future__ import annotations

from typing import Final

from games.engines.base import Draw
from games.engines.cards import ACE, TEN
from games.engines.chinese_ten import CAPTURE, FLIP, HAND, LAY, LAY_ON, NOTHING, OVER, PUT, ChineseTen, State
from games.programs.plans.worth import Observation
from games.programs.search.value import shares
from games.programs.search.worlds.chinese_ten import ChineseTenWorlds

# What a card of each rank brings with the one that takes it (CT-1, CT-5); nothing for an empty spot.
PAIRS: Final = [25 if rank in (ACE, TEN - 1) else 20 if rank >= TEN else 10 for rank in range(NOTHING)] + [0]
SCALE: Final = 150  # a lead of so many points is a clear one
MARGIN = 1.0


class ChineseTenGuide:
    """Playouts take the dearest card, and lay where least is lost. Points decide.

    There is no tree: it would have a seat lay again what it laid in another world, though it could capture in this one.
    """

    rules: Final = ChineseTen()
    paced: Final = None
    iterations: Final = 2000
    horizon: Final = 6
    widening: Final = 0

    def worlds(self, observation: Observation) -> ChineseTenWorlds:
        """The worlds that agree with `observation`."""
        return ChineseTenWorlds(observation)

    def candidates(self, state: State, seat: int) -> list[int]:
        """All that is legal."""
        return self.rules.legal_actions(state, seat)

    def habit(self, state: State, seat: int, draw: Draw) -> int:
        """The dearest capture; else the cheapest card on the dearest one."""
        wanted = state.wanted
        if state.phase == HAND:
            return play(state.hands[seat], wanted, draw)
        if state.phase == CAPTURE:
            return FLIP + wanted.index(state.flipped >> 2)
        return PUT + dearest(wanted, draw)

    def settled(self, state: State) -> bool:
        """Whether the game is over."""
        return state.phase == OVER

    def value(self, state: State) -> list[float]:
        """More for a win, and more for a clear one."""
        return shares(state.points, SCALE, MARGIN)


def play(hand: list[list[int]], wanted: list[int], draw: Draw) -> int:
    """A capture if there is one, else the least loss."""
    best, action = 0, -1
    for spot in (0, 1, 2, 3):
        rank = wanted[spot]
        if hand[rank] and PAIRS[rank] > best:
            best, action = PAIRS[rank], 4 * rank + spot
    if best:
        return action
    least = min([PAIRS[rank] for rank in range(NOTHING) if hand[rank]])
    ranks = [rank for rank in range(NOTHING) if hand[rank] and PAIRS[rank] == least]
    rank = ranks[int(draw() * len(ranks))]
    return LAY + rank if NOTHING in wanted else LAY_ON + 4 * rank + dearest(wanted, draw)


def dearest(wanted: list[int], draw: Draw) -> int:
    """The spot whose card would bring the others most."""
    most = max([PAIRS[rank] for rank in wanted])
    spots = [spot for spot in (0, 1, 2, 3) if PAIRS[wanted[spot]] == most]
    return spots[int(draw() * len(spots))]
