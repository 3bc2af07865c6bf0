"""A guide to Platinum Fish."""

from __future__ import annotations

from typing import Final

from games.engines.base import Draw
from games.engines.platinum_fish import (
    ASK,
    ASK_FOR,
    DECLINE,
    DEMAND,
    DRAW,
    FISH,
    FISH_FOR,
    KINDS_OF_CARD,
    OVER,
    SHUFFLE,
    PlatinumFish,
    State,
)
from games.programs.plans.worth import Observation
from games.programs.search.value import shares
from games.programs.search.worlds.platinum_fish import PlatinumFishWorlds

SCALE: Final = 12  # a lead of so many matches is a clear one
MARGIN = 1.0


class PlatinumFishGuide:
    """Playouts make every match that they see, and ask for ranks in hand; nobody asks for what would not match."""

    rules: Final = PlatinumFish()
    paced: Final = None
    iterations: Final = 400
    horizon: Final = 4
    widening: Final = 64

    def worlds(self, observation: Observation) -> PlatinumFishWorlds:
        """The worlds that agree with `observation`."""
        return PlatinumFishWorlds(observation)

    def candidates(self, state: State, seat: int) -> list[int]:
        """All that is legal, but of the questions only those for ranks in hand."""
        if state.phase == ASK:
            return [DECLINE, *questions(state, seat)]
        return self.rules.legal_actions(state, seat)

    def habit(self, state: State, seat: int, draw: Draw) -> int:
        """A match if there is one for sure; else a question, or a fish, by lot."""
        phase = state.phase
        if phase == FISH:
            hand = state.hands[seat]
            matching = [rank for rank in state.fish if hand[rank] >= 0] or state.fish
            return FISH_FOR + matching[int(draw() * len(matching))]
        if phase == ASK:
            asks = questions(state, seat)
            return sure(state, asks) or (asks[int(draw() * len(asks))] if asks else DECLINE)
        if phase == SHUFFLE:
            return DEMAND
        actions = self.rules.legal_actions(state, seat)
        return actions[-1] if phase == DRAW else actions[0]

    def settled(self, state: State) -> bool:
        """Whether the game is over."""
        return state.phase == OVER

    def value(self, state: State) -> list[float]:
        """More for a win, and more for a clear one."""
        return shares([len(cards) // 2 for cards in state.laid], SCALE, MARGIN)


def questions(state: State, seat: int) -> list[int]:
    """For ranks in hand, to seats that have shown the rank or have a card that nobody has seen."""
    hand, found = state.hands[seat], []
    ranks = [rank for rank in range(KINDS_OF_CARD) if hand[rank] >= 0]
    for other in range(state.seats):
        if other != seat:
            shown = state.shown[other]
            closed = state.held[other] > shown.bit_count()
            found += [ASK_FOR + KINDS_OF_CARD * other + rank for rank in ranks if closed or shown >> rank & 1]
    return found


def sure(state: State, asks: list[int]) -> int:
    """The first of `asks` that gets a card for sure; 0, which is no question, if none does."""
    for ask in asks:
        other, rank = divmod(ask - ASK_FOR, KINDS_OF_CARD)
        if state.shown[other] >> rank & 1:
            return ask
    return 0
