"""The search's guide to Chinese Ten."""

from __future__ import annotations

from typing import Final

from scorebook_games.cards import ACE, TEN
from scorebook_games.contract import Draw
from scorebook_games.kinds.chinese_ten.rules import (
    CAPTURE,
    FLIP,
    HAND,
    LAY,
    LAY_ON,
    NOTHING,
    OVER,
    PUT,
    ChineseTen,
    State,
)
from scorebook_games.kinds.chinese_ten.worlds import ChineseTenWorlds
from scorebook_games.search.value import shares
from scorebook_games.search.worth import Observation

# What a card of each rank scores together with the card that captures it (CT-1, CT-5); 0 for an empty spot.
PAIRS: Final = [25 if rank in (ACE, TEN - 1) else 20 if rank >= TEN else 10 for rank in range(NOTHING)] + [0]
SCALE: Final = 150  # a lead of this many points is a clear one
MARGIN = 1.0


class ChineseTenGuide:
    """Playouts capture the most valuable card, or lay a card where it loses least. Points decide.

    There is no tree: a tree would repeat a lay-down that it learned in another world, even if the seat could capture in
    this one.
    """

    rules: Final = ChineseTen()
    paced: Final = None
    iterations: Final = 2000
    horizon: Final = 6
    widening: Final = 0

    def worlds(self, observation: Observation) -> ChineseTenWorlds:
        """Return the worlds that agree with `observation`."""
        return ChineseTenWorlds(observation)

    def candidates(self, state: State, seat: int) -> list[int]:
        """Return all legal actions."""
        return self.rules.legal_actions(state, seat)

    def habit(self, state: State, seat: int, draw: Draw) -> int:
        """Return the most valuable capture, else the cheapest card laid on the spot that is worth most to the
        others."""
        wanted = state.wanted
        if state.phase == HAND:
            return play(state.hands[seat], wanted, draw)
        if state.phase == CAPTURE:
            return FLIP + wanted.index(state.flipped >> 2)
        return PUT + dearest(wanted, draw)

    def settled(self, state: State) -> bool:
        """Return whether the game is over."""
        return state.phase == OVER

    def value(self, state: State) -> list[float]:
        """Return a higher value for a win, and a still higher one for a clear win."""
        return shares(state.points, SCALE, MARGIN)


def play(hand: list[list[int]], wanted: list[int], draw: Draw) -> int:
    """Return a capture if there is one, else the lay-down that loses least."""
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
    """Return the spot whose card would bring the others most."""
    most = max([PAIRS[rank] for rank in wanted])
    spots = [spot for spot in (0, 1, 2, 3) if PAIRS[wanted[spot]] == most]
    return spots[int(draw() * len(spots))]
