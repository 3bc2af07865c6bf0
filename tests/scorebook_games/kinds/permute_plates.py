"""Other worlds of Plates that a viewer cannot tell from the one they are in (see
`tests.scorebook_games.kinds.permute`).

What may be another way (PL-3, PL-4): cards of other players' primary hands that nobody has seen, unseen cards not yet
turned up, and the set-aside cards. What was seen stays: a card placed or turned up, and one that was on a plate that a
player took, even while it is in that hand again. When a round is scored all hands are shown (PL-21), so of an earlier
round only the order of the set-aside cards is left.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from scorebook_games.contract import Event, Options

Place = tuple[str, int, int]  # pile, seat (0 for the set-aside cards), index in the pile as it was dealt


def permuted(
    seats: int, options: Options, events: list[Event], seat: int | None, rng: random.Random
) -> list[Event] | None:
    """Return `events` with all that is hidden from `seat` shuffled, or None if nothing is, as after the end."""
    scored = sum(event[0] == "scored" for event in events)
    deals = [index for index, event in enumerate(events) if event[0] == "dealt"]
    if scored == len(deals):
        return None
    world = events[:]
    for first in deals[:-1]:
        dealt = events[first]
        world[first] = [*dealt[:7], rng.sample(dealt[7], len(dealt[7]))]
    dealt = events[deals[-1]]
    hidden = hidden_places(events[deals[-1] :], seats, seat)
    if len({card_at(dealt, place) for place in hidden if place[0] != "primary"}) < 2:
        return None
    other = dealt
    while other == dealt:
        other = with_cards(dealt, hidden, rng.sample([card_at(dealt, place) for place in hidden], len(hidden)))
    world[deals[-1]] = other
    return world


def hidden_places(events: list[Event], seats: int, seat: int | None) -> list[Place]:
    """Return the places of the deal (the first of a round's `events`) whose cards `seat` has not seen yet."""
    dealt = events[0]
    hidden = [("aside", 0, index) for index in range(len(dealt[7]))]
    turned = {(event[1], event[2]) for event in events if event[0] == "turned"}
    for owner in range(seats):
        hidden += [("unseen", owner, index) for index in range(4) if (owner, index) not in turned]
        if owner != seat:
            seen = list(shown_from_deal(events, owner))
            for index, card in enumerate(dealt[4][owner]):
                if card in seen:
                    seen.remove(card)
                else:
                    hidden.append(("primary", owner, index))
    return hidden


def shown_from_deal(events: list[Event], owner: int) -> Iterator[int]:
    """Yield the dealt primary cards that `owner` has shown: those placed that did not come from a taken plate."""
    plate: list[int] = []
    known: list[int] = []
    for event in events[1:]:
        mine = event[1] == owner
        match event:
            case ["turned", _, _, card]:
                plate.append(card)
            case ["took", *_]:
                known += plate if mine else []
                plate = []
            case ["cleared", *_]:
                plate = []
            case ["placed" | "added", _, primary, *more]:
                plate += primary + (more[0] if event[0] == "placed" else [])
                for card in primary if mine else []:
                    if card in known:
                        known.remove(card)
                    else:
                        yield card


def card_at(dealt: Event, place: Place) -> int:
    """Return the card at `place` of `dealt`."""
    pile, owner, index = place
    cards: list[int] = {"primary": dealt[4], "unseen": dealt[6], "aside": [dealt[7]]}[pile][owner]
    return cards[index]


def with_cards(dealt: Event, places: list[Place], cards: list[int]) -> Event:
    """Return `dealt` with `cards` at `places`; primary hands are sorted, as in a deal."""
    primary, unseen, aside = [hand[:] for hand in dealt[4]], [four[:] for four in dealt[6]], dealt[7][:]
    piles = {"primary": primary, "unseen": unseen, "aside": [aside]}
    for (pile, owner, index), card in zip(places, cards, strict=True):
        piles[pile][owner][index] = card
    return [*dealt[:4], [sorted(hand) for hand in primary], dealt[5], unseen, aside]
