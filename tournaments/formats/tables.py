"""Tables of three and more: their sizes, their seats, and the search that mixes them.

The search starts from a seating and swaps two entrants of different tables whenever this does not cost more. The format
defines the cost of a table. The season's chance chooses the swaps, so the same input gives the same answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from scorebook_games.presentation.coded_text import Sentence
from tournaments.core.results import RoundResult
from tournaments.formats import reasons
from tournaments.formats.reasons import Reasons

Meetings = Counter[frozenset[int]]


def meetings(history: Iterable[RoundResult]) -> Meetings:
    """Return how often each pair of entrants has sat at one table. An absent entrant has met nobody."""
    return Counter(frozenset(pair) for past in history for match in past.matches for pair in combinations(match.met, 2))


def first_seats(history: Iterable[RoundResult]) -> Counter[tuple[int, int]]:
    """Return (entrant, seat in the first game) → how often. A match that the entrant did not play does not count."""
    return Counter(
        (entrant, seat)
        for past in history
        for match in past.matches
        for met in [match.met]
        for seat, entrant in enumerate(match.entrants)
        if entrant in met
    )


def table_sizes(entrants: int, table_size: int, *, short: bool) -> list[int]:
    """Return the sizes of the tables. `short`: nobody has a bye, and sizes differ by at most one."""
    if not short:
        return [table_size] * (entrants // table_size)
    if entrants < 2:
        return []
    count = -(-entrants // table_size)
    return [entrants // count + (place < entrants % count) for place in range(count)]


def cut(order: Sequence[int], seats: Iterable[int]) -> list[list[int]]:
    """Cut `order` into tables with these seats."""
    tables, start = [], 0
    for count in seats:
        tables.append(list(order[start : start + count]))
        start += count
    return tables


def exchange(
    tables: list[list[int]], cost: Callable[[Sequence[int]], int], proposals: Iterable[tuple[int, int]]
) -> list[list[int]]:
    """Return `tables` after the proposed swaps that did not cost more. A swap is two places, counted through all
    tables."""
    places = [(table, seat) for table, seated in enumerate(tables) for seat in range(len(seated))]
    costs = [cost(table) for table in tables]
    for one, other in proposals:
        (a, i), (b, j) = places[one], places[other]
        if a == b:
            continue
        tables[a][i], tables[b][j] = tables[b][j], tables[a][i]
        changed = cost(tables[a]), cost(tables[b])
        if sum(changed) <= costs[a] + costs[b]:
            costs[a], costs[b] = changed
        else:
            tables[a][i], tables[b][j] = tables[b][j], tables[a][i]
    return tables


def seat_in_turn(table: Sequence[int], sat: Counter[tuple[int, int]]) -> tuple[int, ...]:
    """Return the entrants of a table in the order that balances their seats best; of equal orders, the first.

    A seat costs the cube of how much more often an entrant sat there than in its rarest seat, so that few are far from
    even. `best[left]` is the lowest cost of the last seats for the entrants whose bits are set in `left`.
    """
    count = len(table)
    costs = []
    for entrant in table:
        least = min(sat[entrant, seat] for seat in range(count))
        costs.append([(sat[entrant, seat] - least) ** 3 for seat in range(count)])
    best = [0] * (1 << count)
    for left in range(1, 1 << count):
        seat = count - left.bit_count()
        best[left] = min(best[left & ~(1 << place)] + costs[place][seat] for place in range(count) if left >> place & 1)
    order, left = [], (1 << count) - 1
    for seat in range(count):
        place = next(
            place
            for place in range(count)
            if left >> place & 1 and best[left] == best[left & ~(1 << place)] + costs[place][seat]
        )
        order.append(table[place])
        left &= ~(1 << place)
    return tuple(order)


def earlier_meetings(table: Sequence[int], met: Meetings) -> Sentence:
    """Return how often the pairs at a table have met."""
    before = Counter(met[frozenset(pair)] for pair in combinations(table, 2))
    return reasons.pairs_met(sorted(before.items()))


def short_table_reason(seated: int, size: int) -> Reasons:
    """Return what follows the reason for a table that is not full; () for a full one."""
    return () if seated >= size else (reasons.short_table(seated, size),)
