"""Worlds of Platinum Fish: the deck's order and the cards of other hands that were not shown are hidden (PF-13)."""

from __future__ import annotations

import random
from typing import Final

from games.bots.plans.worth import Observation
from games.bots.search.chance import shuffled
from games.engines.cards import RANKS, card_of, packs
from games.engines.platinum_fish import FISH, PHASES, State

TRIES: Final = 20  # of which the first that fits is taken


class PlatinumFishWorlds:
    """Nearly all places are equally likely that a hidden card can have.

    No hand has two cards of a rank (PF-2). A deck that was searched lacks what was not found (PF-9), and holds what was
    found.
    """

    def __init__(self, seen: Observation) -> None:
        self.known = known_state(seen)
        self.seat: int = seen["seat"]
        self.room = [count - held for count, held in zip(seen["hand_counts"], self.known.held, strict=True)]
        self.order = [card_of(text) for text in reversed(seen["deck_order"] or [])]
        self.hidden = packs(2)
        for cards in [*self.known.laid, self.known.discard, self.order, *self.known.hands]:
            for card in cards:
                if card >= 0:
                    self.hidden.remove(card)
        fish, ranks = seen["fish"], {RANKS.index(rank) for rank in seen["ranks"]}
        told = fish is not None and not self.order
        self.absent = ranks.difference(self.known.fish) if told else set()
        self.present = self.known.fish if told and self.known.phase == FISH else []
        self.secret = sorted(ranks) if fish is None else []

    def sample(self, rng: random.Random) -> State:
        """Hands that may be so, by lot, and the rest as the deck."""
        state = self.known.copy()
        for _ in range(TRIES):
            left = self.fill(state.hands, rng)
            if left is not None:
                break
            state = self.known.copy()
        else:
            left = self.fill(state.hands, rng, strict=False) or []
        state.held = [sum([card >= 0 for card in hand]) for hand in state.hands]
        state.deck = self.order or left
        for card in state.deck:
            state.in_deck[card >> 2] += 1
        if self.secret:
            state.fish = [rank for rank in self.secret if state.in_deck[rank]] or self.secret[:1]
        return state

    def fill(self, hands: list[list[int]], rng: random.Random, *, strict: bool = True) -> list[int] | None:
        """Fill `hands` with hidden cards, and return those that are left, in random order; None if that fails."""
        cards = shuffled(self.hidden, rng.random)
        room = self.room[:]
        kept: list[int] = []
        for rank in self.present:
            kept.append(next(card for card in cards if card >> 2 == rank))
            cards.remove(kept[-1])
        if strict and self.absent:
            for card in [card for card in cards if card >> 2 in self.absent]:
                if not give(card, hands, room, rng):
                    return None
                cards.remove(card)
        for seat in shuffled(range(len(hands)), rng.random):
            hand = hands[seat]
            place = 0
            while room[seat] and place < len(cards):
                if hand[cards[place] >> 2] < 0:
                    card = cards.pop(place)
                    hand[card >> 2] = card
                    room[seat] -= 1
                else:
                    place += 1
        return shuffled(cards + kept, rng.random) if not any(room) else None


def give(card: int, hands: list[list[int]], room: list[int], rng: random.Random) -> bool:
    """Give `card` to a hand that may have it, each as likely as it has room; whether there was one."""
    rank = card >> 2
    places = [seat for seat, hand in enumerate(hands) if hand[rank] < 0 for _ in range(room[seat])]
    if not places:
        return False
    seat = places[int(rng.random() * len(places))]
    hands[seat][rank] = card
    room[seat] -= 1
    return True


def known_state(seen: Observation) -> State:
    """What the seat knows, with no deck and hands of the cards that it has seen."""
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
    state.held = [sum([card >= 0 for card in hand]) for hand in state.hands]
    state.laid = [[card_of(text) for pair in pairs for text in pair] for pairs in seen["matches"]]
    state.turns = seen["turns"]
    state.turn = state.turns % state.seats
    state.phase = PHASES.index(seen["phase"])
    state.actor = seen["to_act"][0] if seen["to_act"] else state.turn
    state.dice = seen["dice"][:]
    state.fish = [RANKS.index(rank) for rank in seen["fish"] or []]
    return state
