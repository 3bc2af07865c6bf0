"""Round robins, for every number of entrants that a club is likely to have (docs/reference/formats.md)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.chance import SeedDealer
from scorebook_games.presentation.coded_text import text
from tests.tournaments.formats.fairness import assert_nothing_is_owed, seats_apart
from tests.tournaments.simulated_competition import MUCH, Trouble, compete, competition, large_ones_slow
from tournaments.core.results import GameResult, MatchResult, RoundResult
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, FormatOptions, Pairings, Wait
from tournaments.formats.reasons import AWAY, WITHDRAWN
from tournaments.formats.round_robin import berger, spread_meetings
from tournaments.scoring.points import default_points

SEED = bytes(32)


def options(table_size: int) -> FormatOptions:
    return FormatOptions(table_size, default_points(table_size, table_size))


def schedule(name: str, entrants: int, table_size: int, seed: bytes = SEED) -> tuple[list[Pairings], Finished]:
    """Return all rounds of a competition without games, and its end."""
    rounds: list[Pairings] = []
    history: list[RoundResult] = []
    while True:
        answer = FORMATS[name].next(range(1, entrants + 1), history, options(table_size), SeedDealer(seed))
        if isinstance(answer, Finished):
            return rounds, answer
        assert isinstance(answer, Pairings)
        rounds.append(answer)
        matches = tuple(MatchResult(pairing.seats) for pairing in answer.tables)
        history.append(RoundResult(len(rounds), matches, tuple(rest.entrant for rest in answer.byes)))


def met(rounds: list[Pairings]) -> Counter[frozenset[int]]:
    return Counter(frozenset(pair) for past in rounds for table in past.tables for pair in combinations(table.seats, 2))


def assert_everybody_is_placed_once_a_round(rounds: list[Pairings], entrants: int) -> None:
    for past in rounds:
        seated = [entrant for table in past.tables for entrant in table.seats]
        resting = [rest.entrant for rest in past.byes]
        assert sorted(seated + resting) == list(range(1, entrants + 1))


@pytest.mark.parametrize("entrants", large_ones_slow([*range(2, 26), 31, 32, 47, 60]))
@pytest.mark.parametrize(("name", "times"), [("round_robin", 1), ("double_round_robin", 2)])
def test_pairs_all_meet_equally_often_and_first_moves_differ_by_one_at_most(
    name: str, times: int, entrants: int
) -> None:
    rounds, _ = schedule(name, entrants, 2)
    assert len(rounds) == times * (entrants - 1 + entrants % 2)
    assert_everybody_is_placed_once_a_round(rounds, entrants)
    assert met(rounds) == {frozenset(pair): times for pair in combinations(range(1, entrants + 1), 2)}
    first = Counter(table.seats[0] for past in rounds for table in past.tables)
    second = Counter(table.seats[1] for past in rounds for table in past.tables)
    assert all(abs(first[entrant] - second[entrant]) <= 1 for entrant in range(1, entrants + 1))
    byes = Counter(rest.entrant for past in rounds for rest in past.byes)
    assert set(byes.values()) == ({times} if entrants % 2 else set())


def test_double_round_robin_changes_the_first_move_over() -> None:
    rounds, _ = schedule("double_round_robin", 6, 2)
    moves = [table.seats for past in rounds for table in past.tables]
    assert sorted(moves) == sorted(permutations(range(1, 7), 2))


@pytest.mark.parametrize("entrants", large_ones_slow([*range(3, 17), 30]))
def test_nobody_moves_first_or_second_three_times_in_a_row(entrants: int) -> None:
    """FIDE C.05, annex 1: the last two rounds of the first cycle change places."""
    rounds, _ = schedule("double_round_robin", entrants, 2)
    for one in range(1, entrants + 1):
        seats = "".join(str(table.seats.index(one)) for past in rounds for table in past.tables if one in table.seats)
        assert "000" not in seats, (one, seats)
        assert "111" not in seats, (one, seats)


def test_berger_table_for_eight_is_the_one_in_the_handbook() -> None:
    """FIDE Handbook C.05, annex 1, "7 or 8 players"."""
    found = """
        1-8 2-7 3-6 4-5 / 8-5 6-4 7-3 1-2 / 2-8 3-1 4-7 5-6 / 8-6 7-5 1-4 2-3
        / 3-8 4-2 5-1 6-7 / 8-7 1-6 2-5 3-4 / 4-8 5-3 6-2 7-1
    """
    handbook = [{tuple(map(int, pair.split("-"))) for pair in line.split()} for line in found.split("/")]
    assert [set(berger(8, number)) for number in range(1, 8)] == handbook


@pytest.mark.parametrize("largest", large_ones_slow([16, 60]))
@given(st.data())
@settings(max_examples=settings().max_examples // 3, deadline=None)
def test_tables_share_out_meetings_and_rests(largest: int, data: st.DataObject) -> None:
    table_size = data.draw(st.integers(3, 6), label="table size")
    entrants = data.draw(st.integers(table_size, largest), label="entrants")
    name = data.draw(st.sampled_from(["round_robin", "double_round_robin"]))
    rounds, _ = schedule(name, entrants, table_size, data.draw(st.binary(min_size=32, max_size=32)))
    assert_everybody_is_placed_once_a_round(rounds, entrants)
    assert len(rounds) == FORMATS[name].rounds(entrants, table_size, {})
    assert all(len(table.seats) == table_size for past in rounds for table in past.tables)
    byes = Counter(rest.entrant for past in rounds for rest in past.byes)
    rested = [byes[entrant] for entrant in range(1, entrants + 1)]
    assert max(rested) - min(rested) <= 1
    if entrants > 2 * table_size:  # fewer leave the search no choice; docs/benchmarks/formats.md has their figures
        times = met(rounds)
        often = [times[frozenset(pair)] for pair in combinations(range(1, entrants + 1), 2)]
        assert max(often) - min(often) <= 4


@pytest.mark.parametrize(("name", "times"), [("round_robin", 1), ("double_round_robin", 2)])
def test_nine_at_tables_of_three_meet_exactly_equally_often(name: str, times: int) -> None:
    """The search finds the affine plane of order 3."""
    rounds, _ = schedule(name, 9, 3)
    assert met(rounds) == {frozenset(pair): times for pair in combinations(range(1, 10), 2)}


def test_first_seats_at_tables_are_shared_out() -> None:
    rounds, _ = schedule("double_round_robin", 9, 3)
    sat = Counter(
        (entrant, seat) for past in rounds for table in past.tables for seat, entrant in enumerate(table.seats)
    )
    assert all(1 <= sat[entrant, seat] <= 4 for entrant in range(1, 10) for seat in range(3))


def test_search_repeats_fewer_meetings_than_a_random_draw() -> None:
    rounds, _ = schedule("double_round_robin", 24, 4)
    repeated = sum((times - 1) ** 2 for times in met(rounds).values())
    dealer, drawn = SeedDealer(SEED), []
    for number in range(len(rounds)):
        order = dealer.shuffle(f"random{number}", range(1, 25))
        drawn += [frozenset(pair) for i in range(0, 24, 4) for pair in combinations(order[i : i + 4], 2)]
    assert repeated < sum((times - 1) ** 2 for times in Counter(drawn).values()) / 2


def test_same_history_gives_the_same_pairings() -> None:
    assert schedule("double_round_robin", 11, 4) == schedule("double_round_robin", 11, 4)


def test_another_seed_gives_other_pairings() -> None:
    assert schedule("round_robin", 8, 2)[0] != schedule("round_robin", 8, 2, b"x" * 32)[0]


def test_every_pairing_and_every_rest_has_its_reason() -> None:
    for table_size in (2, 3):
        rounds, _ = schedule("double_round_robin", 7, table_size)
        reasons = [text(pairing.reason) for past in rounds for pairing in past.tables]
        reasons += [text(rest.reason) for past in rounds for rest in past.byes]
        assert all(reason.endswith(".") for reason in reasons)
    assert text(rounds[0].tables[0].reason) == (
        "Round 1 of 7: tables are mixed so that all players meet each other equally often, as far as possible. "
        "Of the pairs at this table 3 have not met yet."
    )


def test_second_meeting_says_that_the_first_move_has_changed_over() -> None:
    rounds, _ = schedule("double_round_robin", 4, 2)
    assert text(rounds[2].tables[0].reason) == "Round 3 of 6: everyone meets everyone twice."
    assert text(rounds[3].tables[0].reason) == (
        "Round 4 of 6: everyone meets everyone twice. They meet again, and the other player moves first."
    )


def test_next_round_waits_for_the_one_that_is_played() -> None:
    history = [RoundResult(1, (MatchResult((1, 2)),), closed=False)]
    answer = FORMATS["round_robin"].next([1, 2], history, options(2), SeedDealer(SEED))
    assert answer == Wait("Round 1 is still being played.")


def test_finished_competition_places_by_the_standings() -> None:
    won = MatchResult((2, 1), (GameResult((2, 1), (5, 3), (1, 2)),))
    answer = FORMATS["round_robin"].next([1, 2], [RoundResult(1, (won,))], options(2), SeedDealer(SEED))
    assert answer == Finished({2: 1, 1: 2})


def test_too_few_for_one_table_is_an_error() -> None:
    with pytest.raises(ValueError, match="needs at least as many entrants"):
        FORMATS["round_robin"].next([1, 2], [], options(3), SeedDealer(SEED))


def test_tables_that_have_no_other_choice_repeat_meetings() -> None:
    tables = spread_meetings([1, 2, 3], [3], Counter({frozenset((1, 2)): 5}), SeedDealer(SEED), "label")
    assert [sorted(table) for table in tables] == [[1, 2, 3]]


# Entrants are away, withdraw or come late: the plan stays as far as possible, and missing matches are played later.


@given(st.integers(2, 16), st.sampled_from(["round_robin", "double_round_robin"]), st.integers(0, 1000))
@settings(max_examples=settings().max_examples // 3, deadline=None)
def test_no_trouble_makes_a_dead_end_and_whoever_is_there_at_the_end_has_met_everybody_there(
    entrants: int, name: str, seed: int
) -> None:
    assert_nothing_is_owed(compete(name, entrants, seed=seed, trouble=MUCH))


@given(st.integers(2, 24), st.integers(3, 6), st.booleans(), st.integers(0, 1000))
@settings(max_examples=settings().max_examples // 4, deadline=None)
def test_no_trouble_at_tables_makes_a_dead_end(entrants: int, size: int, short: bool, seed: int) -> None:
    entrants = max(entrants, size)
    held = compete("round_robin", entrants, size, seed, MUCH, short=short)
    assert len(held.answers) <= (FORMATS["round_robin"].rounds(len(held.entrants), size, {}) or 0)


def test_opponent_of_who_is_away_rests_and_they_meet_in_an_extra_round() -> None:
    rounds, _ = schedule("round_robin", 4, 2)
    first = rounds[0].tables[0].seats
    away = FormatOptions(2, default_points(2, 2), away={first[0]: AWAY})
    history: list[RoundResult] = []
    for number in range(1, 4):
        answer = FORMATS["round_robin"].next(
            range(1, 5), history, away if number == 1 else options(2), SeedDealer(SEED)
        )
        assert isinstance(answer, Pairings)
        assert {table.seats for table in answer.tables} <= {table.seats for table in rounds[number - 1].tables}
        if number == 1:
            assert [(rest.entrant, text(rest.reason)) for rest in answer.byes] == [
                (first[1], "The opponent is away in this round.")
            ]
        matches = tuple(MatchResult(table.seats) for table in answer.tables)
        history.append(RoundResult(number, matches, tuple(rest.entrant for rest in answer.byes)))
    extra = FORMATS["round_robin"].next(range(1, 5), history, options(2), SeedDealer(SEED))
    assert isinstance(extra, Pairings)
    assert [set(table.seats) for table in extra.tables] == [set(first)]
    assert text(extra.tables[0].reason) == (
        "Round 4: these two have not yet played their match. Players with the most unplayed matches are paired first. "
        "The player who has moved first less often moves first."
    )
    assert {text(rest.reason) for rest in extra.byes} == {"This player has played everybody who is present."}
    matches = tuple(MatchResult(table.seats) for table in extra.tables)
    history.append(RoundResult(4, matches, tuple(rest.entrant for rest in extra.byes)))
    assert isinstance(FORMATS["round_robin"].next(range(1, 5), history, options(2), SeedDealer(SEED)), Finished)


@pytest.mark.parametrize("entrants", [8, 13, 20])
def test_first_moves_stay_shared_out_where_people_are_away(entrants: int) -> None:
    """If the numbers of first moves minus second moves of a pair differ by more than two, the other entrant moves
    first."""
    apart = [
        max(seats_apart(compete("round_robin", entrants, 2, seed, Trouble(misses=0.15, no_shows=0.05))))
        for seed in range(4)
    ]
    assert max(apart) <= 3


def test_who_missed_the_first_of_two_meetings_is_not_said_to_meet_again() -> None:
    going = competition("double_round_robin", 4)
    first = going.ask()
    assert isinstance(first, Pairings)
    missing = first.tables[0].seats
    going.away(missing[0])
    going.play()
    going.away()
    while len(going.history) < 3:
        going.play()
    again = going.ask()
    assert isinstance(again, Pairings)
    found = {frozenset(table.seats): text(table.reason) for table in again.tables}
    assert found.pop(frozenset(missing)) == "Round 4 of 6: everyone meets everyone twice."
    assert all(reason.endswith("They meet again, and the other player moves first.") for reason in found.values())


@pytest.mark.parametrize(("entrants", "late"), [(8, 1), (9, 1), (12, 2), (20, 4)])
def test_late_entrants_meet_everybody_too_and_first_moves_stay_shared_out(entrants: int, late: int) -> None:
    """The late entrants enter after three rounds. The competition then needs at most two rounds more than it has
    entrants."""
    history: list[RoundResult] = []
    while len(history) < 100:
        known = range(1, entrants + 1 + (late if len(history) >= 3 else 0))
        answer = FORMATS["round_robin"].next(known, history, options(2), SeedDealer(SEED))
        if isinstance(answer, Finished):
            break
        assert isinstance(answer, Pairings)
        matches = tuple(MatchResult(table.seats) for table in answer.tables)
        history.append(RoundResult(len(history) + 1, matches, tuple(rest.entrant for rest in answer.byes)))
    everybody = range(1, entrants + late + 1)
    held = Counter(frozenset(match.entrants) for past in history for match in past.matches)
    assert held == {frozenset(pair): 1 for pair in combinations(everybody, 2)}
    assert len(history) <= 3 + entrants + late + 2
    first = Counter(match.entrants[0] for past in history for match in past.matches)
    assert all(abs(2 * first[entrant] - (len(everybody) - 1)) <= 3 for entrant in everybody)


def test_double_round_robin_ends_when_nobody_is_left_to_meet() -> None:
    rounds, _ = schedule("double_round_robin", 3, 2)
    gone = FormatOptions(2, default_points(2, 2), away=dict.fromkeys((1, 2), WITHDRAWN), withdrawn=frozenset({1, 2}))
    history = [RoundResult(1, tuple(MatchResult(table.seats) for table in rounds[0].tables))]
    assert isinstance(FORMATS["double_round_robin"].next(range(1, 4), history, gone, SeedDealer(SEED)), Finished)
