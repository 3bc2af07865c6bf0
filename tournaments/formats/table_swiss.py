"""Swiss at tables of three and more: equals sit together, and as few as can be found meet again.

Tables are cut from the standing; then two entrants change places whenever that costs less or the same. A table costs
the square of how often each of its pairs has met, times more than any difference in points can make good; the square
of each difference in points; and, at a table that is a seat short, the square of how often each of it sat at such a
one. Seats are then dealt so that everybody has had each of them equally often, as far as that goes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from games.engines.base import Dealer
from tournaments.core.results import RoundResult
from tournaments.formats.base import FormatOptions, Pairing, PairingBye, Pairings
from tournaments.formats.field import Candidate
from tournaments.formats.tables import (
    Meetings,
    cut,
    exchange,
    first_seats,
    meetings,
    meetings_text,
    no_table_reason,
    seat_in_turn,
    short_table_reason,
    table_sizes,
)
from tournaments.scoring.points import format_number

MIN_PROPOSALS = 6000  # exchanges that the search tries in a round of few
PROPOSALS_PER_ENTRANT = 60  # and for each entrant where there are many
REACH = 8  # how many tables up and down the standing an exchange reaches
REMATCH_COST = 2000  # what a meeting repeated costs


def seat_tables(
    playing: Sequence[Candidate], history: Sequence[RoundResult], options: FormatOptions, total: int, chance: Dealer
) -> Pairings:
    """The next round. `total` is how many rounds there are."""
    number, size = len(history) + 1, options.table_size
    seats = table_sizes(len(playing), size, short=options.short)
    resting = _choose_byes(playing, len(playing) - sum(seats))
    order = [one for one in playing if one not in resting]
    met = meetings(history)
    points = {one.entrant: one.points for one in order}
    tables = cut([one.entrant for one in _initial_tables(order, len(seats), chance, number)], seats)
    if number > 1 and len(tables) > 1:
        count, label = len(order), f"tables/round{number}"
        tables = exchange(
            tables,
            _table_cost(point_steps(order, size), met, _short_table_counts(history, size), size),
            _nearby_exchanges(count, size, chance, label),
        )
    sat = first_seats(history)
    made = []
    for table in sorted(tables, key=lambda table: sorted(-points[one] for one in table)):
        worths = sorted({points[one] for one in table})
        span = (
            format_number(worths[0])
            if len(worths) == 1
            else f"{format_number(worths[0])} to {format_number(worths[-1])}"
        )
        made.append(Pairing(seat_in_turn(table, sat), _table_reason(table, number, total, span, met, size)))
    return Pairings(tuple(made), tuple(PairingBye(one.entrant, _bye_reason(len(playing), options)) for one in resting))


def _choose_byes(playing: Sequence[Candidate], count: int) -> list[Candidate]:
    """The lowest of those who have rested least."""
    return sorted(playing, key=lambda one: (one.rests, -one.rank[0], -one.number))[:count] if count else []


def _initial_tables(order: Sequence[Candidate], tables: int, chance: Dealer, number: int) -> list[Candidate]:
    """Round 1: every table has one of the strongest, one of the next, and so on. Later: by points, equals by lot."""
    if number == 1:
        ranked = sorted(order, key=lambda one: one.number)
        return [one for table in range(tables) for one in ranked[table::tables]]
    lots = chance.shuffle(f"equals/round{number}", range(len(order)))
    return sorted((order[lot] for lot in lots), key=lambda one: one.rank[0])


def point_steps(order: Sequence[Candidate], table_size: int) -> dict[int, int]:
    """Everybody's points in whole steps, of which a round is worth twice a place at a full table."""
    rounds = max((len(one.opponents) for one in order), default=0)
    top = max((one.points for one in order), default=0) or 1
    return {one.entrant: int(one.points * 2 * (table_size - 1) * rounds / top) for one in order}


def _short_table_counts(history: Sequence[RoundResult], table_size: int) -> Counter[int]:
    """How often each sat at a table that was not full."""
    return Counter(
        entrant
        for past in history
        for match in past.matches
        if len(match.entrants) < table_size
        for entrant in match.entrants
    )


def _table_cost(
    points: dict[int, int], met: Meetings, short: Counter[int], table_size: int
) -> Callable[[Sequence[int]], int]:
    known: dict[tuple[int, int], int] = {}
    for pair, times in met.items():
        a, b = pair
        known[a, b] = known[b, a] = REMATCH_COST * times * times

    def cost(table: Sequence[int]) -> int:
        total = sum([(points[a] - points[b]) ** 2 + known.get((a, b), 0) for a, b in combinations(table, 2)])
        if len(table) < table_size:
            total += REMATCH_COST * sum([short[one] ** 2 for one in table])
        return total

    return cost


def _nearby_exchanges(count: int, table_size: int, chance: Dealer, label: str) -> Iterator[tuple[int, int]]:
    """Proposals: any place, and another within reach of it."""
    reach = min(count, (2 * REACH + 1) * table_size)
    tries = max(MIN_PROPOSALS, PROPOSALS_PER_ENTRANT * count)
    draws = chance.integers(label, [count, reach] * tries)
    for one, step in zip(draws[::2], draws[1::2], strict=True):
        yield one, (one + step - reach // 2) % count


def _table_reason(table: Sequence[int], number: int, total: int, span: str, met: Meetings, table_size: int) -> str:
    told = f"Round {number} of {total}: "
    if number == 1:
        told += "the list is dealt out, so that every table has one of its top, and so on down."
    else:
        told += (
            f"equals sit together (here {span} points), moved as little as it takes for few to meet again. "
            f"Of the pairs at this table {meetings_text(table, met)}."
        )
    return told + short_table_reason(len(table), table_size)


def _bye_reason(playing: int, options: FormatOptions) -> str:
    """Why somebody has a bye."""
    if playing < options.table_size:
        return no_table_reason(playing, options.table_size)
    return (
        f"{playing} entrants do not fill tables of {options.table_size}: of those who have rested least the lowest "
        "in the standing rest."
    )
