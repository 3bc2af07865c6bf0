"""The search's guide to Palace."""

from __future__ import annotations

import math
from typing import Final

from scorebook_games.cards import ACE, TEN
from scorebook_games.contract import Draw
from scorebook_games.kinds.palace.legal import leaves_last, may_play
from scorebook_games.kinds.palace.moves import (
    CALL,
    CHANCE,
    KEEP,
    LAST,
    PASS,
    PLAY_DRAWN,
    TAKE,
    THROW,
    TRIPLE_ACTIONS,
    TURN,
)
from scorebook_games.kinds.palace.rules import Palace
from scorebook_games.kinds.palace.state import (
    CHOOSE,
    DRAWN,
    GONE,
    JOKER,
    LOOK,
    OVER,
    PALACE,
    REFILL,
    SET,
    TWO,
    PalaceState,
)
from scorebook_games.kinds.palace.worlds import PalaceWorlds
from scorebook_games.search.worth import Observation

ORDINARY: Final = (2, 3, 4, 5, 6, 7, 8, 10, 11, 12)  # 3 … K, lowest first
STRENGTH: Final = (10, 11, 0, 1, 2, 3, 4, 5, 6, 12, 7, 8, 9, 13)  # by rank, as in the sensible plan
LONG: Final = 10  # a pile of this many cards is worth a wild card to avoid

# The worth of each rank in the hand or upper palace, in logits of winning a duel, while the stack lasts and after it.
# These and the numbers in `standing` come from a logistic regression over 60,000 positions of 4,000 games.
DRAWING: Final = (0.06, 0.15, -0.04, -0.03, -0.01, -0.02, -0.01, -0.03, 0.01, 0.21, 0.0, 0.03, 0.06, 0.16)
ENDING: Final = (0.02, 0.11, -0.36, -0.3, -0.29, -0.28, -0.26, -0.22, -0.16, 0.08, -0.18, -0.1, -0.07, -0.02)
UNDER: Final = (-0.05, -0.5)
TOO_MANY: Final = 0.2  # the cost of a card that can hardly be played before the stack is used up
MANY: Final = 8  # a hand of this many cards loses many of them at once


class PalaceGuide:
    """Playouts follow the sensible plan, mostly to the end. In long games, the cards held tell who is ahead.

    With three seats, a horizon of 20 won no more than the sensible plan does: the bot filled its hand with wild cards
    while the two others raced to the end.
    """

    rules: Final = Palace()
    paced: Final = None
    iterations: Final = 250
    horizon: Final = 80
    widening: Final = 8

    def worlds(self, observation: Observation) -> PalaceWorlds:
        """Return the worlds that agree with `observation`."""
        return PalaceWorlds(observation)

    def candidates(self, state: PalaceState, seat: int) -> list[int]:
        """Return of each rank one card or all.

        The last card is always declared, and a missing declaration is called out.
        """
        if state.phase == CHOOSE:
            return [strongest(state, seat)]
        legal = self.rules.legal_actions(state, seat)
        found = [action for action in legal if is_worth_trying(state, seat, action)]
        calls = [action for action in legal if CALL <= action < TAKE]
        return calls or found

    def habit(self, state: PalaceState, seat: int, draw: Draw) -> int:
        """Return roughly what the sensible plan would play."""
        if state.uncalled & ~(1 << seat):
            return CALL | (state.uncalled & ~(1 << seat)).bit_length() - 1
        if state.phase == CHOOSE:
            return strongest(state, seat)
        if seat == state.turn:
            return on_turn(state, seat)
        if state.thrown == ACE:
            return PASS
        last = LAST if leaves_last(state, seat, state.fresh) else 0
        return THROW | last | state.thrown << 5 | state.fresh - 1

    def settled(self, state: PalaceState) -> bool:
        """Return whether the game is over."""
        return state.phase == OVER

    def value(self, state: PalaceState) -> list[float]:
        """Return the share of opponents that each seat beats or is likely to beat."""
        return final(state) if state.phase == OVER else likely(state)


def final(state: PalaceState) -> list[float]:
    """Return the values of a finished game by placings; a tie counts half."""
    _, places = Palace().standing(state)
    others = state.seats - 1
    if state.out and not state.play_on:
        return [float(place == 1) for place in places]
    return [(sum([other > mine for other in places]) + (places.count(mine) - 1) / 2) / others for mine in places]


def likely(state: PalaceState) -> list[float]:
    """Return the values of a game that goes on.

    Seats that are out have their place; the others are compared by their cards.
    """
    weights = [0.0 if seat in state.out else math.exp(standing(state, seat)) for seat in range(state.seats)]
    total = sum(weights)
    if not state.play_on:
        return [weight / total for weight in weights]
    others = state.seats - 1
    return [
        sum([mine / (mine + other) for place, other in enumerate(weights) if other and place != seat]) / others
        if mine
        else 1 - state.out.index(seat) / others
        for seat, mine in enumerate(weights)
    ]


def standing(state: PalaceState, seat: int) -> float:
    """Return how good a seat's prospects are, in logits."""
    ending = state.at == len(state.stack)
    worths = ENDING if ending else DRAWING
    held = state.held[seat]
    total = UNDER[ending] * state.unders[seat]
    for rank, cards in enumerate(state.hands[seat]):
        if cards:
            total += worths[rank] * len(cards)
    for card in state.upper[seat]:
        total += worths[card >> 2]
    if not ending:  # cards that cannot be played before the stack is used up remain in the hand
        turns = (len(state.stack) - state.at) / state.seats
        return total - TOO_MANY * max(0.0, held - REFILL - turns)
    if held > MANY:
        total += 0.14 * min(held, 2 * MANY) - 0.9
    elif not held:
        total += 0.4
    if seat == state.turn:
        total += 0.17 + 0.2 * state.must - 0.025 * len(state.pile)
        if state.current == ACE and not state.resets:
            total -= 0.1 + 0.02 * len(state.pile)
    return total


def is_worth_trying(state: PalaceState, seat: int, action: int) -> bool:
    """Return whether the search tries this legal action at all."""
    if action < THROW:
        held, count = len(state.hands[seat][action >> 5 & 15]), (action & 31) + 1
        if count not in (1, held) and count + (state.run if action >> 5 & 15 == state.top else 0) < SET:
            return False
        return bool(action & LAST) == (state.calls and leaves_last(state, seat, count))
    if action < TURN:
        return action & 31 == state.fresh - 1 and bool(action & LAST) == leaves_last(state, seat, state.fresh)
    if action < CALL:
        first = next(position for position in range(PALACE) if state.under[seat][position] != GONE)
        declared = bool(state.calls and state.unders[seat] == 2 and state.phase != LOOK)
        return action & 3 == first and bool(action & LAST) == declared
    return True


def strongest(state: PalaceState, seat: int) -> int:
    """Return the choice of the three strongest cards for the upper palace."""
    ranks = [rank for rank, cards in enumerate(state.hands[seat]) for _ in cards]
    first, second, third = sorted(sorted(ranks, key=STRENGTH.__getitem__)[-PALACE:])
    return TRIPLE_ACTIONS[first, second, third]


def on_turn(state: PalaceState, seat: int) -> int:
    """Return what the seat on turn plays by habit."""
    if state.phase == DRAWN:
        return PLAY_DRAWN if may_play(state, state.chanced >> 2, 1) else KEEP
    if state.phase == LOOK or not state.held[seat]:
        return turn_first(state, seat)
    action = from_hand(state, seat)
    if action >= 0:
        return action | LAST if state.calls and leaves_last(state, seat, (action & 31) + 1) else action
    if state.at == len(state.stack) or (state.current == ACE and not state.resets and not state.must):
        return TAKE
    return CHANCE


def turn_first(state: PalaceState, seat: int) -> int:
    """Return the play of the first face-down card; nobody knows which is better."""
    position = next(position for position in range(PALACE) if state.under[seat][position] != GONE)
    declared = state.calls and state.unders[seat] == 2 and state.phase != LOOK
    return TURN | (LAST if declared else 0) | position


def from_hand(state: PalaceState, seat: int) -> int:
    """Return the habitual play: the lowest ordinary rank, a set, or else a wild card; −1 if none may be played."""
    hand, fits = state.hands[seat], state.fits[state.current]
    wilds = len(hand[ACE]) + len(hand[TWO]) + len(hand[TEN]) + len(hand[JOKER])
    long = len(state.pile) >= LONG
    order = (TEN, JOKER, TWO, ACE)
    if wilds < state.held[seat]:
        action = ordinary(state, hand, fits)
        if action >= 0 and not (long and (hand[TEN] or hand[JOKER])):
            return action
        order = (TEN, JOKER, ACE, TWO) if long else (ACE, TWO, TEN, JOKER)
    for rank in order:
        if hand[rank] and rank in fits:
            return rank << 5
    return -1


def ordinary(state: PalaceState, hand: list[list[int]], fits: list[int]) -> int:
    """Return the play of all cards of the lowest playable ordinary rank, or of one that clears; −1 if there is none."""
    found = -1
    sets = state.current != ACE or state.resets
    for rank in ORDINARY:
        count = len(hand[rank])
        if count and (rank in fits or (count >= SET and sets)):
            action = rank << 5 | count - 1
            if count + (state.run if rank == state.top else 0) >= SET:
                return action
            if found < 0:
                found = action
    return found
