"""The worlds of Platinum Fish: the deck's order and the unshown cards of other hands are hidden (PF-13)."""

from __future__ import annotations

import random
from typing import Final

from scorebook_games.cards import RANKS, card_of, packs
from scorebook_games.kinds.platinum_fish import FISH, KINDS_OF_CARD, NONE, PHASES, State
from scorebook_games.search.chance import shuffled
from scorebook_games.search.worth import Observation

TRIES: Final = 20  # the first of these that fits is used
ASKED_AND_HELD: Final = 0.8


class PlatinumFishWorlds:
    """The worlds of one observation. All possible places of a hidden card are about equally likely.

    No hand has two cards of a rank (PF-2). A deck that was searched lacks what was not found, and holds what was found
    (PF-9). A player who asked for a rank usually holds it.
    """

    def __init__(self, seen: Observation) -> None:
        self.known = known_state(seen)
        self.counts: list[int] = seen["hand_counts"]
        self.room = [count - held for count, held in zip(self.counts, self.known.held, strict=True)]
        self.order = [card_of(text) for text in seen["deck_order"] or []]
        self.hidden = packs(2)
        for cards in [*self.known.laid, self.known.discard, self.order, *self.known.hands]:
            for card in cards:
                if card >= 0:
                    self.hidden.remove(card)
        told = seen["fish"] is not None and not self.order
        self.present = self.known.fish if told and self.known.phase == FISH else []
        self.secret = [RANKS.index(rank) for rank in seen["ranks"]] if seen["fish"] is None else []

    def sample(self, rng: random.Random) -> State:
        """Return a state with random possible hands and the rest as the deck.

        After `TRIES` tries, hands may be almost possible.
        """
        for number in range(TRIES):
            state = self.known.copy()
            left = shuffled(self.hidden, rng.random)
            kept = [left.pop(place_of(left, rank)) for rank in self.present]
            if self.fill(state, left, rng, strictly=number + 1 < TRIES):
                break
        state.deck = self.order or shuffled(left + kept, rng.random)
        state.held = [KINDS_OF_CARD - hand.count(NONE) for hand in state.hands]
        for card in state.deck:
            state.in_deck[card >> 2] += 1
        if self.secret:
            state.fish = [rank for rank in self.secret if state.in_deck[rank]] or self.secret[:1]
        return state

    def fill(self, state: State, left: list[int], rng: random.Random, *, strictly: bool) -> bool:
        """Fill the hands from `left`; return whether every constraint is met."""
        room = self.room[:]
        for seat in shuffled(range(state.seats), rng.random):
            for rank in [rank for rank in range(KINDS_OF_CARD) if state.asked[seat] >> rank & 1]:
                if room[seat] and rng.random() < ASKED_AND_HELD and (place := place_of(left, rank)) >= 0:
                    state.hands[seat][rank] = left.pop(place)
                    room[seat] -= 1
        if strictly and state.deck_lacks:
            for card in [card for card in left if state.deck_lacks >> (card >> 2) & 1]:
                if not give(card, state, room, rng):
                    return False
                left.remove(card)
        for seat in shuffled([seat for seat in range(state.seats) if room[seat]], rng.random):
            draw_up(state.hands[seat], left, room[seat], state.lacks[seat] if strictly else 0)
        counts = [KINDS_OF_CARD - hand.count(NONE) for hand in state.hands]
        return counts == self.counts


def place_of(cards: list[int], rank: int) -> int:
    """Return where the first card of `rank` lies, −1 if there is none."""
    return next((place for place, card in enumerate(cards) if card >> 2 == rank), -1)


def draw_up(hand: list[int], left: list[int], room: int, lacks: int) -> None:
    """Move up to `room` of the cards `left` to `hand`, only of ranks that it neither has nor lacks."""
    place = 0
    while room and place < len(left):
        rank = left[place] >> 2
        if hand[rank] < 0 and not lacks >> rank & 1:
            hand[rank] = left.pop(place)
            room -= 1
        else:
            place += 1


def give(card: int, state: State, room: list[int], rng: random.Random) -> bool:
    """Give `card` to a random hand that may have it, weighted by its room; return whether there was one."""
    rank = card >> 2
    places = [
        seat
        for seat, hand in enumerate(state.hands)
        if hand[rank] < 0 and not state.lacks[seat] >> rank & 1
        for _ in range(room[seat])
    ]
    if not places:
        return False
    seat = places[int(rng.random() * len(places))]
    state.hands[seat][rank] = card
    room[seat] -= 1
    return True


def known_state(seen: Observation) -> State:
    """Return what the seat knows, without the deck, and with only those hand cards that it has seen."""
    state = State(seen["seats"], seen["searcher"] == "player", seen["turn_limit"])
    state.discard = [card_of(text) for text in seen["discard"]]
    for card in state.discard:
        state.in_discard[card >> 2] += 1
    for seat, texts in enumerate(seen["shown"]):
        for text in texts:
            card = card_of(text)
            state.hands[seat][card >> 2] = card
            state.shown[seat] |= 1 << (card >> 2)
    for text in seen["hand"]:
        card = card_of(text)
        state.hands[seen["seat"]][card >> 2] = card
    state.held = [KINDS_OF_CARD - hand.count(NONE) for hand in state.hands]
    state.laid = [[card_of(text) for pair in pairs for text in pair] for pairs in seen["matches"]]
    state.lacks = [bits_of(ranks) for ranks in seen["lacks"]]
    state.asked = [bits_of(ranks) for ranks in seen["asked"]]
    state.deck_lacks = bits_of(seen["deck_lacks"])
    state.turns = seen["turns"]
    state.turn = state.turns % state.seats
    state.phase = PHASES.index(seen["phase"])
    state.actor = seen["to_act"][0] if seen["to_act"] else state.turn
    state.dice = seen["dice"][:]
    state.fish = [RANKS.index(rank) for rank in seen["fish"] or []]
    return state


def bits_of(ranks: str) -> int:
    """Return the bits of ranks given as text."""
    return sum([1 << RANKS.index(rank) for rank in ranks])
