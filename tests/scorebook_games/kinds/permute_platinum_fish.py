"""Other worlds of Platinum Fish that a viewer cannot tell from the one they are in (see
`tests.scorebook_games.kinds.permute`).

What may be another way (PF-9, PF-12, PF-13): the order of the deck, and of each other player's latest dealt hand the
cards that have not come to light. (An earlier hand is all known: it had to be emptied before another was dealt.) The
roller who searches the deck sees all of it while choosing, and nobody else knows which possible ranks were in it.

A world is made by exchanging hidden cards two at a time, and only where all that was seen stays true: a hand that
showed that it lacks a rank still lacks it, a deck that was said to lack one still does, what was said to be in it was.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from scorebook_games.contract import Event, Options

Place = tuple[int, int]  # index of an event, index of a card in its list; the first stack names every card
DECK = -1


@dataclass
class Known:
    """A game as a careful watcher with every card marked would tell it.

    `deck` has the marked cards from the top, `hands` the cards of each seat's latest deal that are still unseen,
    `lacks` the ranks that a hand (or `DECK`) cannot have, `copies` where each marked card stands in the log. `named`
    has ranks that were said to be in the deck, `unsaid` (by event) the possible ones of which only the roller was told,
    both with how many cards had left the deck by then.
    """

    cards: list[int]
    deck: list[int]
    hands: list[list[int]]
    lacks: dict[int, set[int]] = field(default_factory=dict)
    above: dict[int, set[int]] = field(default_factory=dict)
    copies: dict[int, list[Place]] = field(default_factory=dict)
    named: list[tuple[list[int], int]] = field(default_factory=list)
    unsaid: dict[int, tuple[set[int], int]] = field(default_factory=dict)
    gone: list[int] = field(default_factory=list)

    def rank(self, card: int) -> int:
        return self.cards[card] >> 2

    def leave(self, place: int) -> int:
        """Take the card at `place` out of the deck, and mark it as gone."""
        card = self.deck.pop(place)
        self.gone.append(card)
        return card

    def touch(self, seat: int, rank: int, mate: int) -> None:
        """Record that `seat` has no card of `rank` any more, except perhaps one that it got just now."""
        for card in self.hands[seat]:
            if self.rank(card) == rank and self.cards[card] == mate:
                self.hands[seat].remove(card)
                break
        self.lacks[seat].add(rank)


def watched(seats: int, events: list[Event], viewer: int | None) -> Known:
    """Return all that has happened in a game up to now, and which of it `viewer` does not know."""
    order: list[int] = events[0][1]
    known = Known(order[:], list(range(len(order))), [[] for _ in range(seats)])
    known.lacks = {place: set() for place in range(DECK, seats)}
    known.copies = {card: [(0, card)] for card in known.deck}
    for index, event in enumerate(events):
        match event:
            case ["dealt", seat, _, laid, kept]:
                known.lacks[seat] = {card >> 2 for card in laid} - {card >> 2 for card in kept}
                known.lacks[seat] |= known.lacks[DECK]
                block = [known.leave(0) for _ in range(len(laid) + len(kept))]
                known.hands[seat] = []
                for place, value in enumerate(kept):
                    # Of equal cards the later one was kept.
                    card = max(card for card in block if known.cards[card] == value)
                    block.remove(card)
                    known.hands[seat].append(card)
                    known.copies[card].append((index, place))
            case ["turned", _]:
                known.leave(0)
            case ["drew", seat, card, mate]:
                known.leave(0)
                known.touch(seat, card >> 2, mate)
            case ["took" | "salvaged", seat, card, mate]:
                known.touch(seat, card >> 2, mate)
            case ["searched", seat, a, b, _] if seat != viewer:
                known.unsaid[index] = (possible(a, b), len(known.gone))
            case ["rolled" | "searched", _, a, b, held]:
                known.lacks[DECK] |= possible(a, b) - set(held)
                known.named.append((held, len(known.gone)))
            case ["fished", seat, card, mate]:
                place = [known.rank(each) for each in known.deck].index(card >> 2)
                for nearer in known.deck[:place]:
                    known.above.setdefault(nearer, set()).add(card >> 2)
                known.leave(place)
                known.touch(seat, card >> 2, mate)
            case ["asked", seat, other, rank, card, mate]:
                known.touch(other, rank, card)
                if card >= 0:
                    known.touch(seat, rank, mate)
            case ["shuffled", _, new]:
                left = known.deck[:]
                known.deck = []
                for place, value in enumerate(new):
                    card = next(card for card in left if known.cards[card] == value)
                    left.remove(card)
                    known.deck.append(card)
                    known.copies[card].append((index, place))
    return known


def possible(a: int, b: int) -> set[int]:
    """PF-8."""
    return {a - 1, b - 1, *([10, 11, 12] if a + b == 12 else [a + b - 1])}


def permuted(
    seats: int, options: Options, events: list[Event], seat: int | None, rng: random.Random
) -> list[Event] | None:
    """Return `events` with all that is hidden from `seat` exchanged, or None if nothing is or can be."""
    known = watched(seats, events, seat)
    searching = options["searcher"] == "player" and events[-1][0] == "searched" and events[-1][1] == seat
    hidden = {card: owner for owner in range(seats) if owner != seat for card in known.hands[owner]}
    if not searching:
        hidden |= dict.fromkeys(known.deck, DECK)
    before = facts(known)
    places = list(hidden)
    for _ in range(4 * len(places)):
        exchange(known, hidden, rng.choice(places), rng.choice(places))
    return None if facts(known) == before else rewritten(events, known)


def exchange(known: Known, hidden: dict[int, int], one: int, two: int) -> None:
    """Exchange two marked cards, unless somebody could notice it."""
    cards = known.cards
    cards[one], cards[two] = cards[two], cards[one]
    if not (fits(known, hidden[one], one) and fits(known, hidden[two], two) and claims_are_true(known)):
        cards[one], cards[two] = cards[two], cards[one]


def fits(known: Known, owner: int, card: int) -> bool:
    """Return whether a marked card may have its rank where it is, in a hand or the deck."""
    rank = known.rank(card)
    if rank in known.lacks[owner] or rank in known.above.get(card, ()):
        return False
    return owner == DECK or [known.rank(other) for other in known.hands[owner]].count(rank) == 1


def claims_are_true(known: Known) -> bool:
    """Return whether every rank that was said to be in the deck was in it, and some of each that was not said."""
    ranks, counted = in_deck(known, len(known.gone)), len(known.gone)
    for held, before in reversed(known.named):  # backwards, the cards that have left come back in
        ranks.update(known.rank(card) for card in known.gone[before:counted])
        counted = before
        if not ranks.issuperset(held):
            return False
    return all(in_deck(known, before) & unsaid for unsaid, before in known.unsaid.values())


def in_deck(known: Known, before: int) -> set[int]:
    """Return the ranks in the deck when `before` cards had left it: those in it now and those that left it later."""
    return {known.rank(card) for card in [*known.deck, *known.gone[before:]]}


def facts(known: Known) -> tuple[list[int], list[list[int]]]:
    """Return in what two worlds can differ: the order of the deck and the cards of each hand."""
    return [known.cards[card] for card in known.deck], [sorted(known.cards[card] for card in h) for h in known.hands]


def rewritten(events: list[Event], known: Known) -> list[Event]:
    """Return the log with every marked card as it is now, in each place that names it unseen."""
    world = [[list(part) if isinstance(part, list) else part for part in event] for event in events]
    for card, copies in known.copies.items():
        for index, place in copies:
            event = world[index]
            (event[4] if event[0] == "dealt" else event[-1])[place] = known.cards[card]
    for index, (ranks, before) in known.unsaid.items():
        world[index][4] = sorted(ranks & in_deck(known, before))
    return world
