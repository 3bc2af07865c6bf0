"""Round robins: everybody meets everybody, once or twice; at tables of three and more as evenly as can be found.

Two at a table follow the Berger tables (FIDE Handbook C.05, annex 1), whose first moves differ by one at most. Three
and more are seated round by round by a search that exchanges entrants between tables as long as fewer meetings are
repeated. Both start from pairing numbers drawn by lot, and give the same answer to the same history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations
from math import ceil
from typing import Any

from games.engines.base import Dealer, Option
from tournaments.formats.base import Finished, FormatOptions, Pairing, Pairings, Rest, Wait
from tournaments.results import RoundResult
from tournaments.standings import fold

LARGEST_TABLE = 6
PROPOSALS = 3000  # exchanges that the search tries in one round; more were not found to help
NUMERALS = {1: "once", 2: "twice"}

Meetings = Counter[frozenset[int]]


class RoundRobin:
    """`cycles` 1: a single round robin, 2: a double one, its second half with the first moves changed over."""

    options: tuple[Option, ...] = ()
    continuous = False

    def __init__(self, cycles: int) -> None:
        self.cycles = cycles

    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any] | None = None) -> int:  # noqa: ARG002
        """For pairs (n − 1) or, if n is odd, n rounds a cycle; for tables as many as the meetings owed need."""
        if table_size == 2:
            return self.cycles * (entrants - 1 + entrants % 2)
        games_each = ceil(self.cycles * (entrants - 1) / (table_size - 1))
        return ceil(entrants * games_each / (entrants // table_size * table_size))

    def lacks(self, entrants: int, table_size: int, settings: Mapping[str, Any] | None = None) -> str | None:  # noqa: ARG002
        """A round robin needs as many as fill one table."""
        if entrants >= table_size:
            return None
        return f"It takes {table_size} entrants at least and has {entrants}: invite more, or make the tables smaller."

    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """The next round. Raises ValueError for fewer entrants than fill one table."""
        if len(entrants) < options.table_size:
            raise ValueError(f"A round robin at tables of {options.table_size} needs as many entrants at least.")
        if history and not history[-1].closed:
            return Wait(f"Round {history[-1].number} is still being played.")
        number = len(history) + 1
        if number > self.rounds(len(entrants), options.table_size):
            rows = fold(
                entrants,
                history,
                options.points,
                options.tie_breaks,
                lowest_best=options.lowest_best,
                lots=options.lots,
            )
            return Finished({row.entrant: row.place for row in rows})
        drawn = [entrants[i] for i in chance.shuffle("pairing numbers", range(len(entrants)))]
        if options.table_size == 2:
            return self._pairs(drawn, number)
        return self._tables(drawn, history, number, options.table_size, chance)

    def _pairs(self, drawn: Sequence[int], number: int) -> Pairings:
        length = self.rounds(len(drawn), 2) // self.cycles
        cycle, index = divmod(number - 1, length)
        often = NUMERALS[self.cycles]
        reason = f"Round {number} of {length * self.cycles}: everybody meets everybody {often}."
        if cycle:
            reason += " They meet again, and the first move has changed over."
        tables, byes = [], []
        for first, second in berger(len(drawn) + len(drawn) % 2, index + 1):
            if max(first, second) > len(drawn):
                rest = drawn[min(first, second) - 1]
                byes.append(Rest(rest, f"{len(drawn)} entrants make no pairs: each rests {often} in turn."))
                continue
            seats = (drawn[first - 1], drawn[second - 1])
            tables.append(Pairing(seats[::-1] if cycle else seats, reason))
        return Pairings(tuple(tables), tuple(byes))

    def _tables(
        self, drawn: Sequence[int], history: Sequence[RoundResult], number: int, size: int, chance: Dealer
    ) -> Pairings:
        resting = who_rests(drawn, history, len(drawn) % size, chance, number)
        playing = [entrant for entrant in drawn if entrant not in resting]
        met = meetings(history)
        sat = Counter((entrant, seat) for entrant, seat in first_seats(history))
        tables = spread(playing, size, met, chance, f"tables/round{number}")
        reason = (
            f"{len(drawn)} entrants do not fill tables of {size}: of those who have rested least, "
            "the lot of this round chose who rests."
        )
        return Pairings(
            tuple(Pairing(seat_in_turn(table, sat), self._why(table, met, number, len(drawn))) for table in tables),
            tuple(Rest(entrant, reason) for entrant in resting),
        )

    def _why(self, table: Sequence[int], met: Meetings, number: int, entrants: int) -> str:
        before = Counter(met[frozenset(pair)] for pair in combinations(table, 2))
        told = ", ".join(f"{pairs} {met_before(times, pairs)}" for times, pairs in sorted(before.items()))
        return (
            f"Round {number} of {self.rounds(entrants, len(table))}: tables are mixed so that everybody meets "
            f"everybody as evenly as possible. Of the pairs at this table {told}."
        )


def met_before(times: int, pairs: int) -> str:
    """How often so many pairs have met, as the end of a sentence: "had not met", "had met twice"."""
    has = "has" if pairs == 1 else "have"
    return f"{has} not met yet" if times == 0 else f"{has} met {NUMERALS.get(times, f'{times} times')}"


def berger(even: int, number: int) -> list[tuple[int, int]]:
    """Round `number` (1 … even − 1) of the Berger table for `even` entrants 1 … even: (who moves first, the other).

    The last entrant stays; the others meet by the sum of their numbers, and the last one's opponent goes on by half
    the table every round. Nobody's first moves exceed their second ones by more than one.
    """
    last, circle = even, even - 1
    pivot = (number - 1) * (even // 2) % circle + 1
    pairs = [(pivot, last) if pivot <= even // 2 else (last, pivot)]
    for step in range(1, even // 2):
        first = (pivot + step - 1) % circle + 1
        second = (pivot - step - 1) % circle + 1
        low, high = min(first, second), max(first, second)
        pairs.append((low, high) if (low + high) % 2 else (high, low))
    return pairs


def meetings(history: Iterable[RoundResult]) -> Meetings:
    """How often each pair of entrants has sat at one table."""
    return Counter(
        frozenset(pair) for past in history for match in past.matches for pair in combinations(match.entrants, 2)
    )


def first_seats(history: Iterable[RoundResult]) -> Iterable[tuple[int, int]]:
    """(entrant, seat in the first game) of every match so far."""
    return (
        (entrant, seat) for past in history for match in past.matches for seat, entrant in enumerate(match.entrants)
    )


def who_rests(
    drawn: Sequence[int], history: Iterable[RoundResult], count: int, chance: Dealer, number: int
) -> list[int]:
    """The `count` entrants who have rested least, among equals by this round's lot: rests differ by one at most."""
    if not count:
        return []
    rested = Counter(entrant for past in history for entrant in past.byes)
    lots = chance.shuffle(f"byes/round{number}", range(len(drawn)))
    return [drawn[i] for i in sorted(lots, key=lambda i: rested[drawn[i]])[:count]]


def spread(playing: Sequence[int], size: int, met: Meetings, chance: Dealer, label: str) -> list[list[int]]:
    """Tables of `size` at which as few meetings as found are repeated; the same tables for the same label.

    From a drawn seating, two entrants of different tables change places whenever that does not cost more. The cost
    of a table is the sum of the squares of how often its pairs have met: two repeated once are better than one twice.
    """
    order = [playing[i] for i in chance.shuffle(f"{label}/start", range(len(playing)))]
    tables = [order[i : i + size] for i in range(0, len(order), size)]
    weight = {(a, b): met[frozenset((a, b))] ** 2 for a in playing for b in playing if a != b}

    def cost(table: Sequence[int]) -> int:
        return sum([weight[pair] for pair in combinations(table, 2)])

    costs = [cost(table) for table in tables]
    count = len(playing)
    draws = chance.integers(label, [count, count] * (PROPOSALS if sum(costs) else 0))
    for one, other in zip(draws[::2], draws[1::2], strict=True):
        (a, i), (b, j) = divmod(one, size), divmod(other, size)
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
    """The entrants of a table in the order in which seats repeat least; of equal orders the first as drawn."""
    return min(permutations(table), key=lambda seats: sum(sat[entrant, seat] for seat, entrant in enumerate(seats)))
