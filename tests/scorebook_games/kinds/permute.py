"""Other worlds that a seat cannot tell from the one it is in, for the test of hidden information.

The shape, for every kind of game: a module of its own (`permute_<kind>`; Chinese Ten's is below) with one function,

    permuted(seats, options, events, seat, rng) -> list[Event] | None

    seats, options   as given to `Rules.initial`
    events           the rule events of a game up to now, the deal first
    seat             the viewer: a seat, or None for the public
    rng              random.Random, the only source of chance

It returns the whole log anew (never touching `events`), with everything that `seat` may not know by now shuffled
consistently: what was seen stays where it was, so that the observed history is the same, and folding the new log gives
a *different* state. None when there is no such log (nothing is hidden from `seat`, or what is hidden is all alike).

It is written from the rules' clauses on what is seen by whom, and must not call or import `observation` or `redact`.
Whether a compulsory move would have been another one in the new world is not asked: a view must not tell that either.

`GENERATORS` maps each kind to its function; a kind without one fails the test.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

from scorebook_games.contract import Event, Options
from tests.scorebook_games.kinds import permute_palace, permute_plate_spinner, permute_plates, permute_platinum_fish

Generator = Callable[[int, Options, list[Event], "int | None", random.Random], "list[Event] | None"]

MAX_WORLD_TRIES = 100  # until there surely is no other world


def chinese_ten(
    seats: int, options: Options, events: list[Event], seat: int | None, rng: random.Random
) -> list[Event] | None:
    """CT-12: hands are private and the deck is hidden; a card that was played, flipped or taken is known for good."""
    _, hands, spots, deck = events[0]
    turned = [event[2] for event in events if event[0] == "flipped"]
    for before, event in itertools.pairwise(events):
        if event[0] in ("took", "placed") and before[0] != "flipped":  # else this card has been counted
            turned.append(event[2])
    new_hands, new_deck = [hand[:] for hand in hands], deck[:]

    hidden: list[tuple[list[int], int]] = [(new_deck, place) for place in range(len(turned), len(deck))]
    for owner, hand in enumerate(new_hands):
        if owner == seat:
            continue
        gone = [event[2] for event in events if event[0] in ("captured", "laid") and event[1] == owner]
        for place, card in enumerate(hand):
            if card in gone:
                gone.remove(card)
            else:
                hidden.append((hand, place))

    cards = [heap[place] for heap, place in hidden]
    for _ in range(MAX_WORLD_TRIES):
        rng.shuffle(cards)
        for (heap, place), card in zip(hidden, cards, strict=True):
            heap[place] = card
        # The order within a hand is no difference.
        if new_deck != deck or any(sorted(new) != sorted(old) for new, old in zip(new_hands, hands, strict=True)):
            return [["dealt", new_hands, spots, new_deck], *events[1:]]
    return None


GENERATORS: dict[str, Generator] = {
    "chinese_ten": chinese_ten,
    "palace": permute_palace.permuted,
    "plate_spinner": permute_plate_spinner.permuted,
    "plates": permute_plates.permuted,
    "platinum_fish": permute_platinum_fish.permuted,
}
