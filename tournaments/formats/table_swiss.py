"""Swiss at tables of three and more: entrants with equal points sit together, with as few repeated meetings as can be
found.

Tables are cut from the standings; then entrants are swapped while the cost does not rise. A table costs the squares of
its pairs' earlier meetings, times more than any difference in points can weigh; plus the squares of the differences in
points; plus, at a table with one seat fewer, the squares of how often its entrants sat at such tables before. Seats are
then dealt so that everybody has each seat equally often, as far as possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from scorebook_games.contract import Dealer
from scorebook_games.presentation.coded_text import Sentence
from tournaments.core.results import RoundResult
from tournaments.formats import reasons
from tournaments.formats.base import FormatOptions, Pairing, PairingBye, Pairings
from tournaments.formats.field import Candidate
from tournaments.formats.reasons import Reasons
from tournaments.formats.tables import (
    Meetings,
    cut,
    earlier_meetings,
    exchange,
    first_seats,
    meetings,
    seat_in_turn,
    short_table_reason,
    table_sizes,
)
from tournaments.scoring.points import json_number

MIN_PROPOSALS = 6000  # swaps tried in a round with few entrants
PROPOSALS_PER_ENTRANT = 60  # and for each entrant where there are many
REACH = 8  # how many tables up and down the standing an exchange reaches
REMATCH_COST = 2000  # what a meeting repeated costs


def seat_tables(
    playing: Sequence[Candidate], history: Sequence[RoundResult], options: FormatOptions, total: int, chance: Dealer
) -> Pairings:
    """Return the next round. `total` is the number of rounds."""
    number, size = len(history) + 1, options.table_size
    seats = table_sizes(len(playing), size, short=options.short)
    resting = _choose_byes(playing, len(playing) - sum(seats))
    order = [one for one in playing if one not in resting]
    met = meetings(history)
    points = {one.entrant: one.points for one in order}
    tables = cut([table.entrant for table in _initial_tables(order, len(seats), chance, number)], seats)
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
        reason: Reasons = (reasons.tables_from_list(number, total),)
        if number > 1:
            by_points = reasons.tables_by_points(number, total, json_number(worths[0]), json_number(worths[-1]))
            reason = (by_points, earlier_meetings(table, met))
        made.append(Pairing(seat_in_turn(table, sat), reason + short_table_reason(len(table), size)))
    why = (_bye_reason(len(playing), size),)
    return Pairings(tuple(made), tuple(PairingBye(one.entrant, why) for one in resting))


def _choose_byes(playing: Sequence[Candidate], count: int) -> list[Candidate]:
    """Return the lowest of those with the fewest byes."""
    return sorted(playing, key=lambda one: (one.byes, -one.rank[0], -one.number))[:count] if count else []


def _initial_tables(order: Sequence[Candidate], tables: int, chance: Dealer, number: int) -> list[Candidate]:
    """Return the first tables. In round 1 each has one of the strongest, one of the next, and so on; later by points,
    equal ones by lot."""
    if number == 1:
        ranked = sorted(order, key=lambda one: one.number)
        return [one for table in range(tables) for one in ranked[table::tables]]
    lots = chance.shuffle(f"equals/round{number}", range(len(order)))
    return sorted((order[lot] for lot in lots), key=lambda one: one.rank[0])


def point_steps(order: Sequence[Candidate], table_size: int) -> dict[int, int]:
    """Return everybody's points in whole steps; a round is worth twice a place at a full table."""
    rounds = max((len(one.opponents) for one in order), default=0)
    top = max((one.points for one in order), default=0) or 1
    return {one.entrant: int(one.points * 2 * (table_size - 1) * rounds / top) for one in order}


def _short_table_counts(history: Sequence[RoundResult], table_size: int) -> Counter[int]:
    """Return how often each sat at a table that was not full."""
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
    """Yield swaps: any place, and another one within reach."""
    reach = min(count, (2 * REACH + 1) * table_size)
    tries = max(MIN_PROPOSALS, PROPOSALS_PER_ENTRANT * count)
    draws = chance.integers(label, [count, reach] * tries)
    for draw, step in zip(draws[::2], draws[1::2], strict=True):
        yield draw, (draw + step - reach // 2) % count


def _bye_reason(playing: int, size: int) -> Sentence:
    """Return why an entrant has a bye."""
    return reasons.no_full_table(playing, size) if playing < size else reasons.left_over_lowest(playing, size)
