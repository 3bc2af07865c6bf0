"""The worlds of Chinese Ten: other hands and the deck are hidden (CT-12)."""

from __future__ import annotations

import random

from scorebook_games.cards import RANKS, card_of, packs
from scorebook_games.kinds.chinese_ten.rules import CAPTURE, COVER, HAND, NOBODY, NOTHING, OVER, POINTS, TAKER, State
from scorebook_games.search.chance import shuffled
from scorebook_games.search.worth import Observation


class ChineseTenWorlds:
    """The worlds of one observation.

    All places are about equally likely for an unseen card, except in hands that are known to lack its rank.
    """

    def __init__(self, seen: Observation) -> None:
        self.known = known_state(seen)
        self.seat: int = seen["seat"]
        self.counts: list[int] = seen["hand_counts"]
        self.hidden = packs(seen["packs"])
        mine = [card_of(text) for text in seen["hand"]]
        flipped = [self.known.flipped] if self.known.flipped >= 0 else []
        for cards in [mine, flipped, *self.known.spots, *self.known.piles]:
            for card in cards:
                self.hidden.remove(card)
        for card in mine:
            self.known.hands[self.seat][card >> 2].append(card)

    def sample(self, rng: random.Random) -> State:
        """Return a state with random other hands; the remaining cards are the deck."""
        state = self.known.copy()
        cards = shuffled(self.hidden, rng.random)
        seats = [seat for seat in range(state.seats) if seat != self.seat and self.counts[seat]]
        for seat in shuffled(seats, rng.random):
            hand = state.hands[seat]
            for card in taken_from(cards, self.counts[seat], state.lacks[seat]):
                hand[card >> 2].append(card)
        state.deck = cards
        return state


def taken_from(cards: list[int], count: int, lacks: int) -> list[int]:
    """Remove `count` of `cards` and return them. Ranks in `lacks` are taken only if there are no others."""
    taken: list[int] = []
    place = len(cards) - 1
    while len(taken) < count and place >= 0:
        if not lacks >> (cards[place] >> 2) & 1:
            taken.append(cards.pop(place))
        place -= 1
    while len(taken) < count:
        taken.append(cards.pop())
    return taken


def known_state(seen: Observation) -> State:
    """Return the state that all can see, with empty hands and no deck."""
    state = State(seen["seats"], seen["packs"], seen["turn_limit"])
    state.in_hands = sum(seen["hand_counts"])
    state.lacks = [sum([1 << RANKS.index(rank) for rank in ranks]) for ranks in seen["lacks"]]
    state.spots = [[card_of(text) for text in spot] for spot in seen["spots"]]
    state.wanted = [TAKER[spot[-1]] if spot else NOTHING for spot in state.spots]
    state.piles = [[card_of(text) for text in pile] for pile in seen["piles"]]
    state.points = [sum([POINTS[card] for card in pile]) for pile in state.piles]
    state.turns = seen["turns"]
    state.turn = state.turns % state.seats
    if seen["flipped"] is not None:
        state.flipped = card_of(seen["flipped"])
        state.phase = CAPTURE if state.flipped >> 2 in state.wanted else COVER
    elif seen["to_act"]:
        state.phase = HAND
    else:
        state.phase = OVER if seen["turn"] is None else NOBODY
    return state
