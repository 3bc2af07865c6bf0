"""The search's guide to Platinum Fish."""

from __future__ import annotations

from typing import Final

from scorebook_games.contract import Draw
from scorebook_games.kinds.platinum_fish import (
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
from scorebook_games.kinds.platinum_fish.worlds import PlatinumFishWorlds
from scorebook_games.search.value import shares
from scorebook_games.search.worth import Observation

SCALE: Final = 12  # a lead of this many matches is a clear one
MARGIN = 1.0


class PlatinumFishGuide:
    """Playouts make every match that they see and ask for ranks in hand.

    They never ask for a card that would not match.
    """

    rules: Final = PlatinumFish()
    paced: Final = None
    iterations: Final = 400
    horizon: Final = 4
    widening: Final = 64

    def worlds(self, observation: Observation) -> PlatinumFishWorlds:
        """Return the worlds that agree with `observation`."""
        return PlatinumFishWorlds(observation)

    def candidates(self, state: State, seat: int) -> list[int]:
        """Return all legal actions, but only those questions that ask for ranks in hand."""
        if state.phase == ASK:
            return [DECLINE, *questions(state, seat)]
        return self.rules.legal_actions(state, seat)

    def habit(self, state: State, seat: int, draw: Draw) -> int:
        """Return a certain match if there is one, else a random question or fish."""
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
        """Return whether the game is over."""
        return state.phase == OVER

    def value(self, state: State) -> list[float]:
        """Return a higher value for a win, and a still higher one for a clear win."""
        return shares([len(cards) // 2 for cards in state.laid], SCALE, MARGIN)


def questions(state: State, seat: int) -> list[int]:
    """Return the questions for ranks in hand to seats that have shown the rank or hold a card that nobody has seen."""
    hand, found = state.hands[seat], []
    ranks = [rank for rank in range(KINDS_OF_CARD) if hand[rank] >= 0]
    for other in range(state.seats):
        if other != seat:
            shown = state.shown[other]
            closed = state.held[other] > shown.bit_count()
            found += [ASK_FOR + KINDS_OF_CARD * other + rank for rank in ranks if closed or shown >> rank & 1]
    return found


def sure(state: State, asks: list[int]) -> int:
    """Return the first of `asks` that is certain to get a card; 0, which is not a question, if there is none."""
    for ask in asks:
        other, rank = divmod(ask - ASK_FOR, KINDS_OF_CARD)
        if state.shown[other] >> rank & 1:
            return ask
    return 0
