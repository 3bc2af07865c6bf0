"""Checks that a competition is fair in spite of all troubles: no needless rematches, and byes and first moves are
shared out.

The checks read the pairings and results, and do not ask the format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from tests.tournaments.simulated_competition import Competition
from tournaments.core.results import MatchResult, RoundResult
from tournaments.formats.matching import matching

TIMES = {"swiss": 1, "round_robin": 1, "double_round_robin": 2}  # how often two are to meet


def assert_fair(held: Competition) -> None:
    """Check what holds for the format of a competition after any troubles."""
    if held.format in TIMES and held.options.table_size > 2:
        assert_who_has_rested_least_rests(held)
    elif held.format == "swiss":
        assert_best_pairs(held)
    elif held.format in TIMES:
        assert_nothing_is_owed(held)


def rested(past: RoundResult) -> set[int]:
    """Return the entrants who had a bye or a walkover in a round, or came to a match without an opponent."""
    alone = {one for match in past.matches if not match.met for one in set(match.entrants) - set(match.away)}
    return {*past.byes, *past.walkovers} | alone


def assert_best_pairs(held: Competition) -> None:
    """Check a Swiss of two at a table: everybody plays but one of an odd number, who has not rested before unless all
    have, and nobody meets twice if all could meet somebody new."""
    met: set[frozenset[int]] = set()
    byes: Counter[int] = Counter()
    for made, here, past in zip(held.answers, held.present, held.history, strict=True):
        pairs = [frozenset(table.seats) for table in made.tables]
        assert len(pairs) == len(here) // 2, "everybody plays"
        assert not any(byes[rest.entrant] for rest in made.byes) or all(byes[one] for one in here)
        if met.intersection(pairs):
            seated = sorted(set().union(*pairs))
            new = [(i, j, 1) for (i, a), (j, b) in combinations(enumerate(seated), 2) if frozenset((a, b)) not in met]
            assert len(matching(len(seated), new)) < len(pairs), "nobody meets twice without need"
        met.update(frozenset(match.met) for match in past.matches if match.met)
        byes.update(rested(past))


def assert_nothing_is_owed(held: Competition) -> None:
    """Check a round robin: no two are paired too often, and no two who are there at the end too seldom."""
    paired, times = held.paired(), TIMES[held.format]
    assert max(paired.values(), default=0) <= times
    assert all(paired[frozenset(pair)] == times for pair in combinations(held.here(), 2))


def assert_who_has_rested_least_rests(held: Competition) -> None:
    """Check at tables of three or more that entrants with a bye have had no more byes than any who are seated."""
    byes: Counter[int] = Counter()
    for made, past in zip(held.answers, held.history, strict=True):
        if made.tables and made.byes:
            seated = min(byes[entrant] for table in made.tables for entrant in table.seats)
            assert max(byes[rest.entrant] for rest in made.byes) <= seated
        byes.update(rested(past) if held.format == "swiss" else past.byes)


def seats_apart(held: Competition) -> list[int]:
    """Return for each entrant by how much its most frequent seat exceeds its rarest, at full tables that it came to."""
    size = held.options.table_size
    full = [match for match in held.matches() if len(match.entrants) == size]
    sat = Counter((one, seat) for match in full for seat, one in enumerate(match.entrants) if one in match.met)
    seats = range(size)
    return [max(sat[one, seat] for seat in seats) - min(sat[one, seat] for seat in seats) for one in held.entrants]


def most_pairs(here: set[int], met: Counter[frozenset[int]], allowed: int = 1) -> int:
    """Return the greatest number of pairs who have met fewer than `allowed` times, by trying all pairings."""
    if len(here) < 2:
        return 0
    one = min(here)
    rest = here - {one}
    best = most_pairs(rest, met, allowed)
    for other in rest:
        if best == len(here) // 2:
            break
        if met[frozenset((one, other))] < allowed:
            best = max(best, 1 + most_pairs(rest - {other}, met, allowed))
    return best


def assert_first_moves_are_shared_out(matches: Sequence[MatchResult]) -> None:
    """Check that the first mover of each match has a balance, first moves minus second moves, not above the opponent's.
    So no balance is above 4 or below −4."""
    balance: Counter[int] = Counter()
    for match in matches:
        first, second = match.entrants
        assert balance[first] <= balance[second]
        balance.update({first: 1, second: -1})
    assert all(abs(one) <= 4 for one in balance.values())
