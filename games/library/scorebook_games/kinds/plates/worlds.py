"""The worlds of Plates: other primary hands, all unseen cards and those set aside are hidden (PL-3, PL-4)."""

from __future__ import annotations

import random

from scorebook_games.cards import RANKS, card_of, packs
from scorebook_games.kinds.plates.rules import DEALT, EMPTY, GONE, KNOWN, NOBODY, PHASES, PlatesState
from scorebook_games.search.chance import shuffled
from scorebook_games.search.worth import Observation


class PlatesWorlds:
    """The worlds of one observation.

    All places are about equally likely for an unseen card, except in hands that are known to lack its rank.
    """

    def __init__(self, seen: Observation) -> None:
        self.known = known_state(seen)
        self.room = [
            view["primary_count"] - len(hand) for view, hand in zip(seen["seats"], self.known.primary, strict=True)
        ]
        self.face_down = [[place for place, card in enumerate(view["unseen"]) if card] for view in seen["seats"]]
        self.hidden = packs(-(-DEALT * self.known.seats // 52))
        for cards in [self.known.plate, self.known.cleared, *self.known.primary, *self.known.revealed]:
            for card in cards:
                self.hidden.remove(card)

    def sample(self, rng: random.Random) -> PlatesState:
        """Return a state with random hidden cards."""
        state = self.known.copy()
        cards = shuffled(self.hidden, rng.random)
        for seat, room in enumerate(self.room):
            if room:
                known, hand = state.known[seat], state.in_primary[seat]
                for card in taken_from(cards, room, state.above[seat]):
                    known[card >> 2] += KNOWN
                    hand[card] += 1
        for seat, places in enumerate(self.face_down):
            for place in places:
                state.unseen[seat][place] = cards.pop()
        state.aside = cards
        return state


def taken_from(cards: list[int], count: int, above: int) -> list[int]:
    """Remove `count` of `cards` and return them.

    Unless `above` is −1, take higher ranks and no Aces while there are any.
    """
    if above < 0:
        return [cards.pop() for _ in range(count)]
    taken: list[int] = []
    place = len(cards) - 1
    while len(taken) < count and place >= 0:
        if cards[place] >> 2 > above:
            taken.append(cards.pop(place))
        place -= 1
    while len(taken) < count:
        taken.append(cards.pop())
    return taken


def known_state(seen: Observation) -> PlatesState:
    """Return what the seat knows, with empty other hands."""
    state = PlatesState(len(seen["seats"]), seen["rounds"], seen["turn_limit"])
    state.round, state.dealer, state.turns = seen["round"], seen["dealer"], seen["turns"]
    state.phase = PHASES.index(seen["phase"])
    state.current = seen["to_act"][0] if seen["to_act"] else NOBODY
    state.plate = [card_of(text) for text in seen["plate"]]
    state.cleared = [card_of(text) for text in seen["cleared"]]
    state.top = state.plate[-1] >> 2 if state.plate else EMPTY
    state.run = seen["run"]
    state.out = NOBODY if seen["out"] is None else seen["out"]
    state.last = seen["last_turns"]
    views = seen["seats"]
    state.scores = [list(points) for points in zip(*[view["points"] for view in views], strict=True)]
    for shown, view in zip(state.shown, views, strict=True):
        for text in view["shown"]:
            shown[card_of(text)] += 1
    state.above = [-1 if view["above"] is None else RANKS.index(view["above"]) for view in views]
    state.revealed = [[card_of(text) for text in view["revealed"]] for view in views]
    state.unseen = [[GONE] * len(view["unseen"]) for view in views]
    for seat, view in enumerate(views):
        for text in view["primary"] or view["shown"]:
            card = card_of(text)
            state.in_primary[seat][card] += 1
            state.known[seat][card >> 2] += KNOWN
        for card in state.revealed[seat]:
            state.known[seat][card >> 2] += 1
        down = sum([card is not None for card in view["unseen"]])
        state.held[seat] = view["primary_count"] + len(view["revealed"]) + down
    return state
