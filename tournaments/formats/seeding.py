"""Seeds, seats, and dealing a field into groups, shared by several formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scorebook_games.contract import Dealer, Option
from tournaments.core.results import RoundResult
from tournaments.formats.base import FormatOptions
from tournaments.formats.tables import first_seats, seat_in_turn

SeatCounts = Counter[tuple[int, int]]


def with_defaults(options: Iterable[Option], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a format's settings with defaults for missing ones."""
    return {option.name: settings.get(option.name, option.default) for option in options}


def seeded(entrants: Iterable[int], options: FormatOptions) -> list[int]:
    """Return the entrants from the strongest on: by the season's seeds, then unseeded ones by their lots."""
    seeds, lots = options.seeds or {}, options.lots or {}
    entrants = list(entrants)
    last = max(seeds.values(), default=0) + 1
    return sorted(entrants, key=lambda entrant: (seeds.get(entrant, last), lots.get(entrant, entrant), entrant))


def active_entrants(past: RoundResult) -> set[int]:
    """Return who played in a round or had a bye."""
    return {entrant for match in past.matches for entrant in match.entrants} | set(past.byes) | set(past.walkovers)


def present_entrants(past: RoundResult) -> set[int]:
    """Return who played in a round, had a bye, or was away. Entrants who entered later are not in it."""
    return active_entrants(past) | (set(past.away) - set(past.late))


def serpentine(field: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Deal the field, strongest first, back and forth: 1 to A, 2 to B, 3 to B, 4 to A … up to the size of each."""
    shares: list[list[int]] = [[] for _ in sizes]
    rest = list(field)
    order = list(range(len(sizes)))
    while rest:
        for place in order:
            if rest and len(shares[place]) < sizes[place]:
                shares[place].append(rest.pop(0))
        order.reverse()
    return shares


def count_seats(history: Iterable[RoundResult]) -> SeatCounts:
    """Return how often each entrant has had each seat in the first game of a match."""
    return first_seats(history)


def assign_seats(table: Sequence[int], sat: SeatCounts, chance: Dealer, label: str) -> tuple[int, ...]:
    """Return the entrants of a table by seat. Each gets the seat that it has had least often; the lot decides equal
    cases."""
    return seat_in_turn(chance.shuffle(label, list(table)), sat)
