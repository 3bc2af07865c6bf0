"""Where each kind keeps its cards in `State.plain`, for the test that none is lost or made.

A new kind adds a function to `CHECKS`; a kind without one fails the test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from scorebook_games.cards import packs
from scorebook_games.conformance.play import Table
from scorebook_games.contract import Event
from scorebook_games.kinds.palace import NO_CARD
from scorebook_games.kinds.plates.rules import GONE

Plain = dict[str, Any]
# Yields, after each event of a log, the cards that are somewhere in the state or have left the game by a rule.
Check = Callable[[Table, list[Event]], Iterator[list[int]]]


def states(table: Table, log: list[Event]) -> Iterator[tuple[Event, Plain, Plain]]:
    """Yield each event with the state's facts before and after it."""
    state = table.rules.initial(table.seats, table.options)
    before = state.plain()
    for event in log:
        table.rules.apply(state, event)
        after = state.plain()
        yield event, before, after
        before = after


def chinese_ten(table: Table, log: list[Event]) -> Iterator[list[int]]:
    for _, _, state in states(table, log):
        waiting = [] if state["flipped"] < 0 else [state["flipped"]]
        heaps = [*state["hands"], *state["spots"], *state["piles"], state["deck"], waiting]
        yield [card for heap in heaps for card in heap]


def plates(table: Table, log: list[Event]) -> Iterator[list[int]]:
    """A cleared plate leaves the round (PL-12); the next deal gathers everything again (PL-22)."""
    left: list[int] = []
    for event, before, state in states(table, log):
        if event[0] == "cleared":
            left += before["plate"]
        elif event[0] == "dealt":
            left = []
        heaps = [*state["primary"], *state["revealed"], *state["unseen"], state["aside"], state["plate"], left]
        yield [card for heap in heaps for card in heap if card != GONE]


def palace(table: Table, log: list[Event]) -> Iterator[list[int]]:
    """A cleared pile stays in the state, because all have seen it (PA-11)."""
    for _, _, state in states(table, log):
        drawn = [] if state["chanced"] == NO_CARD else [state["chanced"]]
        palaces = [card for layer in (*state["upper"], *state["under"]) for card in layer if card != GONE]
        heaps = [*state["hands"], palaces, state["stack"], state["pile"], state["cleared"], drawn]
        yield [card for heap in heaps for card in heap]


def plate_spinner(table: Table, log: list[Event]) -> Iterator[list[int]]:
    """Plates, rims and the star plate. Dice are counted too, while plates are spun: drafted ones join on GO (PS-15)."""
    for event, _, state in states(table, log):
        if event[0] == "set":
            starting = {plate for plates in state["held"] for plate in plates}
            assert starting == set(range(41, 41 + 2 * table.seats))
        heaps = [*state["held"], *state["rims"], state["plates"], state["rims_pack"], state["market"], state["discard"]]
        items = [item for heap in [*heaps, state["loose"]] for item in heap if item >= 0 and not 41 <= item <= 50]
        assert all(number <= 10 for number in state["player"])
        assert sum(state["neutral"]) <= 5
        if state["phase"] == 1:
            for seat in range(table.seats):
                lying = sum(value > 0 for plate in state["fillings"][seat] for group in plate for value in group)
                free = sum(state["pools"][seat] >> shift & 15 for shift in range(0, 24, 4))
                assert lying + free == state["player"][seat] + state["neutral"][seat]
        yield items


def platinum_fish(table: Table, log: list[Event]) -> Iterator[list[int]]:
    """The first event stacks the whole deck."""
    for _, _, state in states(table, log):
        heaps = [state["deck"], state["discard"], *state["hands"], *state["laid"]]
        yield [card for heap in heaps for card in heap]


CHECKS: dict[str, Check] = {
    "chinese_ten": chinese_ten,
    "palace": palace,
    "plate_spinner": plate_spinner,
    "plates": plates,
    "platinum_fish": platinum_fish,
}
PACKS: dict[str, Callable[[Table], list[int]]] = {
    "chinese_ten": lambda table: packs(table.options["packs"]),
    "palace": lambda table: packs(table.options["packs"], 2 if table.options["jokers"] else 0),
    "plate_spinner": lambda table: [*range(41), *range(51, 81)],
    "plates": lambda table: packs(-(-18 * table.seats // 52)),
    "platinum_fish": lambda table: packs(2),
}


def cards_after_each_event(table: Table, log: list[Event]) -> Iterator[list[int]]:
    """Yield the sorted cards of the game after each event of its log."""
    return map(sorted, CHECKS[table.kind](table, log))


def pack_of(table: Table) -> list[int]:
    """Return the cards that `table` plays with, sorted."""
    return sorted(PACKS[table.kind](table))
