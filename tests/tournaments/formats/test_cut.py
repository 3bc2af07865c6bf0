"""Knockout at tables of three to six (docs/reference/formats.md)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.presentation.coded_text import text
from tests.tournaments.simulated_competition import Trouble, by_lot, by_number, competition, game, nobody_comes
from tournaments.core.results import RoundResult
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, Pairings, Wait
from tournaments.formats.cut import count_rounds, plan_round

SIZES = (3, 4, 5, 6)


def without(past: RoundResult, *absent: int) -> RoundResult:
    """Return the round as if these entrants had not come."""
    matches = [
        replace(
            match, games=(game(match.entrants, match.games[0].placings, [match.entrants.index(one) for one in away]),)
        )
        if (away := [one for one in absent if one in match.entrants])
        else match
        for match in past.matches
    ]
    return replace(past, matches=tuple(matches))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("short", [False, True])
def test_every_number_comes_down_to_one_table(size: int, short: bool) -> None:
    for entrants in range(2 if short else size, 201):
        left, count = entrants, 1
        while not (coming := plan_round(left, size, short)).final:
            assert sum(coming.sizes) + coming.byes == left
            assert (
                all(one == size for one in coming.sizes) if not short else all(2 <= one <= size for one in coming.sizes)
            )
            assert size <= coming.left < left if not short else 2 <= coming.left < left
            assert coming.left >= left // 2, "At least the better half goes on."
            left, count = coming.left, count + 1
        assert left <= size
        assert count <= 9
        if not short:
            assert left == size
            assert count_rounds(entrants, size) == count


@pytest.mark.parametrize("size", SIZES)
def test_once_tables_fill_there_are_no_more_byes_and_rounds_halve(size: int) -> None:
    left = 8 * size
    sizes = []
    while not (coming := plan_round(left, size, False)).final:
        assert coming.byes == 0
        sizes.append(len(coming.sizes))
        left = coming.left
    assert sizes == [8, 4, 2]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("short", [False, True])
def test_the_strongest_wins_if_results_follow_seeds(size: int, short: bool) -> None:
    for entrants in (size, size + 1, 2 * size - 1, 2 * size, 3 * size + 1, 41):
        going = competition("knockout", entrants, size, short=short)
        places = going.to_the_end(by_number)
        assert [places[one] for one in (1, 2, 3)] == [1, 2, 3]
        met = [match.slot for match in going.matches() if {1, 2} <= set(match.entrants)]
        assert met == ["F"], "The two best meet in the final only."
        assert len(going.history) == FORMATS["knockout"].rounds(entrants, size, {}) or short


@given(st.data())
@settings(max_examples=settings().max_examples // 3, deadline=None)
def test_there_is_no_dead_end_whoever_leaves_or_is_away(data: st.DataObject) -> None:
    size = data.draw(st.sampled_from(SIZES))
    entrants = data.draw(st.integers(size, 100), label="entrants")
    chance = random.Random(data.draw(st.integers(0, 10**6), label="troubles"))
    going = competition("knockout", entrants, size, short=data.draw(st.booleans()))
    leaving, missing = data.draw(st.sampled_from([(0.0, 0.2), (0.1, 0.1), (0.9, 0.5)]))
    going.expected = data.draw(st.lists(st.integers(1, 5), max_size=5).map(sorted), label="late")
    trouble = Trouble(leaves=leaving, misses=missing, no_shows=0.1, undone=0.1)
    places = going.to_the_end(by_lot(chance, draws=0.2), trouble, chance)
    assert sorted(places) == going.entrants
    assert min(places.values()) == 1
    tables = [len(match.entrants) for match in going.matches()]
    assert all(2 <= one <= size for one in tables) if going.options.short else set(tables) <= {size}


def test_byes_are_for_the_best_seeds() -> None:
    going = competition("knockout", 13, 4)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    [bye] = answer.byes
    assert (bye.entrant, text(bye.reason)) == (
        1,
        "13 entrants do not make full tables of 4 down to the final, so the best seeds advance without playing. "
        "This is seed 1.",
    )


def test_the_field_is_shared_out_to_and_fro_and_says_so() -> None:
    going = competition("knockout", 8, 4)
    answer = going.play(by_number)
    assert isinstance(answer, Pairings)
    assert [(table.slot, sorted(table.seats)) for table in answer.tables] == [
        ("W1.1", [1, 4, 5, 8]),
        ("W1.2", [2, 3, 6, 7]),
    ]
    assert text(answer.tables[0].reason) == (
        "8 are left. They are placed by seed so that the best sit at different tables; here seeds 1, 4, 5, 8. "
        "The best 2 of each table advance."
    )
    answer = going.play(by_number)
    assert isinstance(answer, Pairings)
    assert [(table.slot, sorted(table.seats), text(table.reason)) for table in answer.tables] == [
        ("F", [1, 2, 3, 4], "Final of the last 4: seeds 1, 2, 3, 4.")
    ]
    assert going.ask() == Finished({1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 5, 7: 5, 8: 5})


def test_the_best_of_those_placed_next_fill_a_table() -> None:
    """Two tables of three have two winners, and the final has three seats. The better of the two seconds gets the
    third."""
    going = competition("knockout", 6, 3)
    answer = going.play(by_number)
    assert isinstance(answer, Pairings)
    through = "The winner of each table advances, and so does the best of the others."
    assert text(answer.tables[0].reason).endswith(through)
    final = going.ask()
    assert isinstance(final, Pairings)
    assert set(final.tables[0].seats) == {1, 2, 3}, "3 and 4 were second with the same points; 3 is the better seed."


def test_short_tables_send_on_their_better_half() -> None:
    going = competition("knockout", 5, 4, short=True)
    answer = going.play(by_number)
    assert isinstance(answer, Pairings)
    assert sorted(len(table.seats) for table in answer.tables) == [2, 3]
    assert text(answer.tables[0].reason) == (
        "5 are left. They are placed by seed so that the best sit at different tables; here seeds 1, 4, 5. "
        "The better half of each table advances, and so does the best of the others."
    )
    final = going.play(by_number)
    assert isinstance(final, Pairings)
    assert set(final.tables[0].seats) == {1, 2, 3}


def test_who_is_level_goes_by_the_better_seed() -> None:
    going = competition("knockout", 8, 4)
    going.play(lambda seats: [1] * len(seats))
    final = going.play(lambda seats: [1] * len(seats))
    assert isinstance(final, Pairings)
    assert set(final.tables[0].seats) == {1, 2, 3, 4}
    assert going.ask() == Finished({1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 5, 7: 5, 8: 5})


def test_for_who_has_left_the_nearest_of_those_who_were_out_comes_back() -> None:
    going = competition("knockout", 8, 4)
    going.play(by_number)
    going.withdraw(1)
    final = going.play(by_number)
    assert isinstance(final, Pairings)
    assert set(final.tables[0].seats) == {2, 3, 4, 5}
    places = going.to_the_end(by_number)
    assert (places[2], places[5], places[1], places[6]) == (1, 4, 5, 6)


def test_a_table_does_not_wait_for_who_is_away() -> None:
    going = competition("knockout", 9, 4)
    going.away(9)
    answer = going.play(by_number)
    assert isinstance(answer, Pairings)
    assert sorted(one for table in answer.tables for one in table.seats) == list(range(1, 9))
    assert answer.byes == ()
    going.away()
    assert going.to_the_end(by_number)[9] == 9


def test_who_did_not_come_to_the_table_does_not_advance() -> None:
    """Two of each table advance. Only one came to the first, so three of the second advance."""
    going = competition("knockout", 8, 4)
    going.play(by_number)
    going.history[0] = without(going.history[0], 1, 4, 8)
    final = going.play(by_number)
    assert isinstance(final, Pairings)
    assert set(final.tables[0].seats) == {5, 2, 3, 6}
    going.history[1] = without(going.history[1], 2, 3)
    assert going.ask() == Finished({5: 1, 6: 2, 2: 3, 3: 3, 1: 5, 4: 5, 7: 5, 8: 5})


def test_nobody_wins_at_a_table_to_which_nobody_comes() -> None:
    going = competition("knockout", 8, 4)
    going.play(by_number)
    nobody_comes(going, {1, 4, 5, 8}, {2, 3, 6, 7})
    assert going.ask() == Finished(dict.fromkeys(range(1, 9), 1))
    going = competition("knockout", 4, 4)
    going.play(by_number)
    nobody_comes(going, {1, 2, 3, 4})
    assert going.ask() == Finished(dict.fromkeys(range(1, 5), 1))


def test_fewer_than_a_table_end_it() -> None:
    going = competition("knockout", 4, 4)
    going.withdraw(4)
    assert going.ask() == Finished({1: 1, 2: 1, 3: 1, 4: 4})


def test_a_round_that_is_being_played_is_waited_for() -> None:
    going = competition("knockout", 8, 4)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    going.write(answer, by_number, over=False)
    assert going.ask() == Wait("Round 1 is still being played.")


def test_seats_are_shared_out() -> None:
    going = competition("knockout", 64, 4)
    going.to_the_end(by_number)
    finalists = going.history[-1].matches[0].entrants
    sat: Counter[tuple[int, int]] = Counter()
    for match in going.matches():
        sat.update((one, seat) for seat, one in enumerate(match.entrants))
    assert all(sat[one, seat] <= 3 for one in finalists for seat in range(4)), "Five rounds, four seats."


def test_too_few_for_a_table_are_told_what_to_do() -> None:
    assert FORMATS["knockout"].why_unplayable(3, 4, {}) == (
        "The season needs at least 4 entrants and has 3. Invite more, or make the tables smaller."
    )
