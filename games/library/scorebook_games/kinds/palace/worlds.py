"""The worlds of Palace: other hands, face-down cards and the stack are hidden (PA-2, PA-9, PA-15, PA-16, PA-20)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Final

from scorebook_games.cards import ACE, RANKS, card_of
from scorebook_games.kinds.palace.apply import add_card
from scorebook_games.kinds.palace.rules import pack_of
from scorebook_games.kinds.palace.state import (
    CHOOSE,
    EMPTY,
    FACE_DOWN,
    GONE,
    LOOK,
    NO_CARD,
    NOBODY,
    PALACE,
    PHASES,
    REFILL,
    TWO,
    PalaceState,
)
from scorebook_games.search.chance import shuffled
from scorebook_games.search.worth import Observation

HIDDEN: Final = -2  # a face-down card before `sample` draws it


class PalaceWorlds:
    """The worlds of one observation. All places are equally likely for the cards that the seat does not see.

    Cards that were turned up and went back to the stack (PA-3) are in no under palace, and in no hand before the first
    draw. No observation tells how many drawn cards may be thrown (PA-16). For the seat itself this is the most that its
    hand allows; for another seat it is random.
    """

    def __init__(self, seen: Observation) -> None:
        self.known = known_state(seen)
        self.seat: int = seen["seat"]
        views = seen["seats"]
        self.room = [0 if view["hand"] is not None else view["hand_count"] for view in views]
        self.upper = [view["upper"].count(FACE_DOWN) for view in views]
        self.chanced = any(view["drawn"] == FACE_DOWN for view in views)
        left = Counter(pack_of(seen["options"]))
        left.subtract(seen_cards(seen))
        back = Counter(cards_of(seen["turned"])) & left
        self.back = list(back.elements())
        self.dealt = list((left - back).elements())

    def sample(self, rng: random.Random) -> PalaceState:
        """Return a state with random hidden cards."""
        state = self.known.copy()
        cards = shuffled(self.dealt, rng.random)
        for under in state.under:
            for place, card in enumerate(under):
                if card == HIDDEN:
                    under[place] = cards.pop()
        if self.back and state.phase != CHOOSE:
            cards = shuffled(cards + self.back, rng.random)
        for seat, room in enumerate(self.room):
            for _ in range(self.upper[seat]):
                state.upper[seat].append(cards.pop())
            for _ in range(room):
                add_card(state, seat, cards.pop())
        if self.chanced:
            state.chanced = cards.pop()
        state.stack = shuffled(cards + self.back, rng.random) if state.phase == CHOOSE else cards
        if state.thrower not in (NOBODY, self.seat):
            draw_unseen(state, rng)
        return state


def cards_of(texts: Sequence[str | None]) -> list[int]:
    """Return the visible ones of these cards."""
    return [card_of(text) for text in texts if text not in (None, FACE_DOWN)]


def seen_cards(seen: Observation) -> list[int]:
    """Return every card that the seat sees."""
    cards = cards_of(seen["pile"]) + cards_of(seen["cleared"])
    for view in seen["seats"]:
        cards += cards_of([*(view["hand"] or []), *view["upper"], *view["under"], view["drawn"]])
    return cards


def known_state(seen: Observation) -> PalaceState:
    """Return what the seat knows, with empty other hands and an empty stack."""
    state = PalaceState(len(seen["seats"]), seen["options"])
    state.phase = PHASES.index(seen["phase"])
    state.turn = NOBODY if seen["turn"] is None else seen["turn"]
    state.turns, state.direction = seen["turns"], seen["direction"]
    state.turned, state.pile, state.cleared = [cards_of(seen[heap]) for heap in ("turned", "pile", "cleared")]
    state.current = EMPTY if seen["current"] is None else RANKS.index(seen["current"])
    state.top = state.pile[-1] >> 2 if state.pile else EMPTY
    state.run = seen["run"]
    state.must = int(seen["demanded"])
    state.uncalled = sum([1 << owner for owner in seen["uncalled"]])
    state.out = seen["out"][:]
    for seat, view in enumerate(seen["seats"]):
        for card in cards_of(view["hand"] or []):
            add_card(state, seat, card)
        state.upper[seat] = cards_of(view["upper"])
        texts = view["under"]
        state.under[seat] = [GONE if text is None else HIDDEN if text == FACE_DOWN else card_of(text) for text in texts]
        state.unders[seat] = PALACE - texts.count(None)
        state.known[seat] = int(bool(cards_of(texts)))
        state.chanced = max([state.chanced, NO_CARD, *cards_of([view["drawn"]])])
    open_window(state, seen)
    return state


def open_window(state: PalaceState, seen: Observation) -> None:
    """Set what was just played: it may be thrown (PA-16), or a look follows (PA-20)."""
    if state.phase == LOOK:
        state.thrown = state.top
        state.owed = int(not state.pile or state.top == TWO or (state.top == ACE and state.resets))
    if seen["thrown"] is None:
        return
    seat: int = seen["thrown"]["seat"]
    state.thrower, state.thrown = seat, RANKS.index(seen["thrown"]["rank"])
    state.drawn = 1
    if seat == seen["seat"] and seat == seen["to_act"][0] != state.turn:  # the seat that may throw is asked first
        state.fresh = len(state.hands[seat][state.thrown])
        state.drawn = max(1, state.fresh)


def draw_unseen(state: PalaceState, rng: random.Random) -> None:
    """Make one to three random hand cards of the seat that just played newly drawn."""
    seat = state.thrower
    held = state.held[seat]
    state.drawn = 1 + int(rng.random() * min(REFILL, held))
    matching = len(state.hands[seat][state.thrown])
    state.fresh = sum([place < matching for place in rng.sample(range(held), state.drawn)])
