"""Other worlds of Palace that a viewer cannot tell from the one they are in (see
`tests.scorebook_games.kinds.permute`).

Every card of the deal is followed through the log. What may be another one: face-down palace cards that were not turned
up (PA-2), the rest of the stack (PA-3), a choice that is not shown yet (PA-2), and cards of other hands that came there
unseen, from the deal, the stack (PA-9, PA-15) or by a look (PA-20), and have not been played. What was seen stays, even
when it is in a hand again. So in another world somebody else could have thrown (PA-16), and nothing may tell.
"""

from __future__ import annotations

import json
import random
from typing import Any

from scorebook_games.contract import Event, Options

MAX_WORLD_TRIES = 100  # until there surely is no other world
Heap = tuple[str, int, int]  # what a card lies in now: kind, seat, place; cards of one heap are in no order


class Tracker:
    """Follows the cards of a log; a card is the number that it got in the deal.

    `mentions[card]` are the places in `world`, a copy of the log, at which its face stands.
    """

    def __init__(self, events: list[Event], viewer: int | None) -> None:
        self.viewer = viewer
        self.world: list[Event] = json.loads(json.dumps(events))
        self.mentions: list[list[tuple[list[Any], int]]] = []
        self.seen: set[int] = set()
        self.hands: dict[int, list[int]] = {}
        self.upper: dict[int, list[int]] = {}
        self.under: dict[int, list[int | None]] = {}
        self.stack: list[int] = []
        self.pile: list[int] = []
        self.drawn: list[int] = []
        for event in self.world:
            self.follow(event)

    def new(self, holder: list[Any], place: int) -> int:
        self.mentions.append([(holder, place)])
        return len(self.mentions) - 1

    def face(self, card: int) -> int:
        holder, place = self.mentions[card][0]
        return int(holder[place])

    def show(self, cards: list[int], holder: list[Any], first: int = 0, *, to: int | None = None) -> list[int]:
        """Record that `holder` shows the faces of `cards`, to everybody or only to the seat `to`."""
        for place, card in enumerate(cards, first):
            self.mentions[card].append((holder, place))
        if to is None or to == self.viewer:
            self.seen.update(cards)
        return cards

    def played(self, seat: int, faces: list[int]) -> list[int]:
        """Take these cards from the hand; of equal cards, a known one first."""
        gone = []
        for face in faces:
            equal = [card for card in self.hands[seat] if self.face(card) == face]
            gone.append(min(equal, key=lambda card: card not in self.seen))
            self.hands[seat].remove(gone[-1])
        return gone

    def deal(self, event: Event) -> None:
        for seat, hand in enumerate(event[2]):
            self.under[seat] = [self.new(event[1][seat], place) for place in range(3)]
            self.hands[seat] = [self.new(hand, place) for place in range(len(hand))]
            self.upper[seat] = []
            if seat == self.viewer:
                self.seen.update(self.hands[seat])
        if event[4] is not None:
            self.pile = [self.new(event, 4)]
            self.seen.update(self.pile)
        self.stack = [self.new(event[5], place) for place in range(len(event[5]))]

    def put(self, cards: list[int], clears: int) -> None:
        self.pile = [] if clears else [*self.pile, *cards]

    def take(self, seat: int) -> None:
        self.hands[seat] += self.pile
        self.pile = []

    def follow(self, event: Event) -> None:
        match event:
            case ["dealt", *_]:
                self.deal(event)
            case ["chose", seat, cards]:
                self.upper[seat] = self.show(self.played(seat, cards), cards, to=seat)
            case ["laid", upper, _]:
                for seat, cards in enumerate(upper):
                    self.show(self.upper[seat], cards)
            case ["played" | "threw", seat, cards, clears, _]:
                self.put(self.show(self.played(seat, cards), cards), clears)
            case ["drew", seat, cards]:
                self.hands[seat] += self.show(self.stack[: len(cards)], cards, to=seat)
                del self.stack[: len(cards)]
            case ["raised", seat, cards]:
                self.hands[seat] += self.show(self.upper[seat], cards)
                self.upper[seat] = []
            case ["chanced", seat, _]:
                self.drawn = self.show([self.stack.pop(0)], event, 2, to=seat)
            case ["risked", _, _, clears]:
                self.put(self.show(self.drawn, event, 2), clears)
                self.drawn = []
            case ["kept", seat, _]:
                self.hands[seat] += self.drawn
                self.drawn = []
                self.take(seat)
            case ["took", seat, _]:
                self.take(seat)
            case ["called", _, owner, _]:
                self.take(owner)
            case ["turned", seat, place, _, clears, _]:
                self.put(self.show(self.lifted(seat, place), event, 3), clears)
            case ["failed", seat, place, *_]:
                if sum(card is not None for card in self.under[seat]) == 1:
                    self.show([card for card in self.under[seat] if card is not None], event, 3)
                else:
                    self.hands[seat] += self.show(self.lifted(seat, place), event, 3)
                self.take(seat)
            case ["looked", seat, place, _]:
                self.hands[seat] += self.show(self.lifted(seat, place), event, 3, to=seat)

    def lifted(self, seat: int, place: int) -> list[int]:
        card = self.under[seat][place]
        self.under[seat][place] = None
        assert card is not None
        return [card]

    def hidden(self) -> list[tuple[int, Heap]]:
        """Return the cards that the viewer has not seen yet, each with the pile in which it is."""
        placed: list[tuple[int, Heap]] = [(card, ("drawn", 0, 0)) for card in self.drawn]
        placed += [(card, ("stack", 0, place)) for place, card in enumerate(self.stack)]
        for seat in self.hands:
            placed += [(card, ("hand", seat, 0)) for card in self.hands[seat]]
            placed += [(card, ("upper", seat, 0)) for card in self.upper[seat]]
            placed += [(card, ("under", seat, i)) for i, card in enumerate(self.under[seat]) if card is not None]
        return [(card, heap) for card, heap in placed if card not in self.seen]


def permuted(
    seats: int,
    options: Options,
    events: list[Event],
    seat: int | None,
    rng: random.Random,
) -> list[Event] | None:
    """Return `events` with all that is hidden from `seat` shuffled, or None if nothing is, or all of it is equal."""
    tracker = Tracker(events, seat)
    hidden = tracker.hidden()
    faces = [tracker.face(card) for card, _ in hidden]
    heaps = [heap for _, heap in hidden]
    before = sorted(zip(heaps, faces, strict=True))
    for _ in range(MAX_WORLD_TRIES):
        other = rng.sample(faces, len(faces))
        if sorted(zip(heaps, other, strict=True)) != before:
            for (card, _), face in zip(hidden, other, strict=True):
                for holder, place in tracker.mentions[card]:
                    holder[place] = face
            return tracker.world
    return None
