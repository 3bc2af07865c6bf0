"""Swiss at tables of three or more, and the helpers that make tables for all formats (docs/reference/formats.md)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.chance import SeedDealer
from scorebook_games.presentation.coded_text import text
from tests.tournaments.simulated_competition import MUCH, SEED, Competition, compete, large_ones_slow, points_for
from tournaments.core.results import GameResult, MatchResult, RoundResult
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, FormatOptions, Pairings
from tournaments.formats.reasons import AWAY, WITHDRAWN
from tournaments.formats.tables import exchange, seat_in_turn, table_sizes

SWISS = FORMATS["swiss"]


def repeated(tables: Sequence[Sequence[int]]) -> int:
    """Return how many meetings are not the first of their pair."""
    met = Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))
    return sum(times - 1 for times in met.values())


def by_standings_only(held: Competition, size: int) -> list[list[int]]:
    """Return the tables of as many rounds, each made from the standings alone. Entrants with equal points are in random
    order."""
    chance, tables = random.Random(1), []
    points: Counter[int] = Counter()
    for past in held.history:
        order = sorted(held.entrants, key=lambda entrant: (-points[entrant], chance.random()))
        tables += [order[i : i + size] for i in range(0, len(order), size)]
        for match in past.matches:
            for entrant, place in zip(match.entrants, match.games[0].placings, strict=True):
                points[entrant] += size - place
    return tables


LARGE = pytest.param(48, 4, 6, marks=pytest.mark.slow)


@pytest.mark.parametrize(("entrants", "size", "rounds"), [(24, 4, 5), (24, 3, 6), LARGE])
def test_far_fewer_meet_again_than_by_the_standing_alone(entrants: int, size: int, rounds: int) -> None:
    held = compete("swiss", entrants, size, rounds=rounds)
    assert len(held.answers) == rounds
    assert repeated(held.tables()) * 8 < repeated(by_standings_only(held, size))


@pytest.mark.some(2)
@pytest.mark.parametrize("size", large_ones_slow([3, 4, 6, 8], 4))
@pytest.mark.parametrize("short", [False, True])
def test_seats_rests_and_short_tables_are_shared_out(size: int, short: bool) -> None:
    held = compete("swiss", 6 * size + size // 2, size, short=short, rounds=6)
    byes = held.byes()
    assert max(byes.values(), default=0) - min(byes[entrant] for entrant in held.entrants) <= 1
    assert bool(byes) != short
    for entrant in held.entrants:
        seats = Counter(held.sat(entrant))
        assert max(seats.values()) <= 3
    scanty = Counter(entrant for table in held.tables() if len(table) < size for entrant in table)
    assert bool(scanty) == short


def test_equals_sit_together() -> None:
    """In the last of five rounds, the mean range of points at a table is at most half of the range of the field."""
    held = compete("swiss", 48, 4, rounds=5)
    points: Counter[int] = Counter()
    for past in held.history[:-1]:
        for match in past.matches:
            for entrant, place in zip(match.entrants, match.games[0].placings, strict=True):
                points[entrant] += 4 - place
    spans = [
        max(points[e] for e in table.seats) - min(points[e] for e in table.seats) for table in held.answers[-1].tables
    ]
    assert sum(spans) / len(spans) <= (max(points.values()) - min(points.values())) / 2


@given(st.integers(2, 40), st.integers(3, 8), st.booleans(), st.integers(0, 1000))
@settings(max_examples=settings().max_examples // 8, deadline=None)
def test_no_trouble_makes_a_dead_end(entrants: int, size: int, short: bool, seed: int) -> None:
    """Every round has tables, byes and reasons (`Competition` checks each), and the competition ends."""
    if entrants < size and not short:
        assert SWISS.why_unplayable(entrants, size, {}) is not None
    held = compete("swiss", entrants, size, seed, MUCH, short=short, rounds=5)
    assert len(held.answers) <= 5


def test_first_round_gives_every_table_one_of_the_top_of_the_list() -> None:
    seeds = {entrant: entrant for entrant in range(1, 10)}
    made = SWISS.next(range(1, 10), [], FormatOptions(3, points_for("swiss", 3), seeds=seeds), SeedDealer(SEED))
    assert isinstance(made, Pairings)
    assert {frozenset(table.seats) for table in made.tables} == {
        frozenset((1, 4, 7)),
        frozenset((2, 5, 8)),
        frozenset((3, 6, 9)),
    }
    assert text(made.tables[0].reason) == (
        "Round 1 of 4: each table gets one player from the top of the list, one from the next part, and so on."
    )


def played(tables: Sequence[tuple[int, ...]], number: int) -> RoundResult:
    """Return a round in which earlier seats are placed before later ones."""
    matches = [
        MatchResult(seats, (GameResult(seats, (0,) * len(seats), tuple(range(1, len(seats) + 1))),)) for seats in tables
    ]
    return RoundResult(number, tuple(matches))


def test_reason_names_the_points_and_who_has_met() -> None:
    history = [played([(1, 4, 7), (2, 5, 8), (3, 6, 9)], 1)]
    made = SWISS.next(range(1, 10), history, FormatOptions(3, points_for("swiss", 3)), SeedDealer(SEED))
    assert isinstance(made, Pairings)
    assert sorted(made.tables[0].seats) == [1, 2, 3]
    assert text(made.tables[0].reason) == (
        "Round 2 of 4: players with equal points sit together (here 2), with small changes so that few meet again. "
        "Of the pairs at this table 3 have not met yet."
    )


def test_short_table_says_so_and_falls_to_somebody_else_next_time() -> None:
    short = FormatOptions(4, points_for("swiss", 4), short=True)
    first = SWISS.next(range(1, 8), [], short, SeedDealer(SEED))
    assert isinstance(first, Pairings)
    full, scanty = sorted(first.tables, key=lambda table: -len(table.seats))
    assert len(full.seats) == 4
    assert text(scanty.reason).endswith("The number of entrants does not fill tables of 4; here are 3.")
    second = SWISS.next(range(1, 8), [played([full.seats, scanty.seats], 1)], short, SeedDealer(SEED))
    assert isinstance(second, Pairings)
    again = min((table.seats for table in second.tables), key=len)
    assert len(set(again) & set(scanty.seats)) <= 1


def test_too_few_for_a_table_rest_and_say_why() -> None:
    away = dict.fromkeys((1, 2), AWAY)
    made = SWISS.next(range(1, 5), [], FormatOptions(3, points_for("swiss", 3), away=away), SeedDealer(SEED))
    assert isinstance(made, Pairings)
    assert {text(rest.reason) for rest in made.byes} == {"With 2 present in this round, no table of 3 can be filled."}


def test_it_ends_when_those_who_stay_fill_no_table() -> None:
    gone = FormatOptions(3, points_for("swiss", 3), away={1: WITHDRAWN}, withdrawn=frozenset({1}))
    assert isinstance(SWISS.next(range(1, 4), [], gone, SeedDealer(SEED)), Finished)


@pytest.mark.parametrize(
    ("entrants", "size", "full", "even"),
    [
        (9, 4, [4, 4], [3, 3, 3]),
        (7, 4, [4], [4, 3]),
        (4, 3, [3], [2, 2]),
        (2, 4, [], [2]),
        (1, 4, [], []),
        (8, 4, [4, 4], [4, 4]),
    ],
)
def test_sizes_of_tables(entrants: int, size: int, full: list[int], even: list[int]) -> None:
    assert table_sizes(entrants, size, short=False) == full
    assert table_sizes(entrants, size, short=True) == even


@given(st.lists(st.integers(0, 3), min_size=16, max_size=16))
@settings(max_examples=settings().max_examples // 2)
def test_seats_are_the_best_of_all_orders_and_of_equal_ones_the_first(often: list[int]) -> None:
    sat = Counter({(entrant, seat): often[4 * entrant + seat] for entrant in range(4) for seat in range(4)})
    least = [min(sat[entrant, seat] for seat in range(4)) for entrant in range(4)]
    best = min(
        permutations(range(4)),
        key=lambda order: sum((sat[entrant, seat] - least[entrant]) ** 3 for seat, entrant in enumerate(order)),
    )
    assert seat_in_turn(range(4), sat) == best


def test_exchange_takes_what_does_not_cost_more() -> None:
    def odd(table: Sequence[int]) -> int:
        return len({number % 2 for number in table})

    assert exchange([[1, 2], [3, 4]], odd, [(0, 1), (1, 2)]) == [[1, 3], [2, 4]]
    assert exchange([[1, 3], [2, 4]], odd, [(0, 2)]) == [[1, 3], [2, 4]]
