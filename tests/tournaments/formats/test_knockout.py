"""Knockout for two at a table (docs/reference/formats.md); for tables see test_cut.py."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.chance import SeedDealer
from scorebook_games.presentation.coded_text import text
from tests.tournaments.formats.fairness import assert_first_moves_are_shared_out
from tests.tournaments.simulated_competition import (
    SEED,
    Competition,
    Trouble,
    by_lot,
    by_number,
    competition,
    game,
    large_ones_slow,
    nobody_comes,
)
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, Pairings, Wait
from tournaments.formats.knockout import knockout_slots
from tournaments.formats.slots import bracket_order

NUMBERS = (*range(2, 10), 15, 16, 17, 31, 33, 64, 100, 129)  # tests.bench.formats has all numbers up to 200


def table_of(going: Competition, slot: str) -> frozenset[int]:
    return frozenset(next(match.entrants for match in going.matches() if match.slot == slot))


def drawn(seats: object) -> list[int]:
    return [1, 1]


@pytest.mark.parametrize("entrants", large_ones_slow(NUMBERS, 33))
def test_the_strongest_wins_and_the_second_is_second_if_results_follow_seeds(entrants: int) -> None:
    going = competition("knockout", entrants, third_place=True)
    places = going.to_the_end(by_number)
    assert [one for one, place in sorted(places.items(), key=lambda item: item[1])][:2] == [1, 2]
    assert table_of(going, "F") == {1, 2}, "The two best meet in the final."
    if entrants >= 4:
        assert (places[3], places[4]) == (3, 4)
        assert table_of(going, "3rd") == {3, 4}
    if entrants >= 8:
        assert [places[one] for one in range(5, 9)] == [5] * 4, "Who was out in one round shares the place."


@pytest.mark.parametrize("entrants", large_ones_slow(NUMBERS, 33))
def test_there_is_one_match_less_than_entrants_and_one_more_for_the_third_place(entrants: int) -> None:
    for third in (False, True):
        going = competition("knockout", entrants, third_place=third)
        going.to_the_end(by_lot(random.Random(entrants)))
        assert len(going.matches()) == entrants - 1 + int(third and entrants >= 4)
        assert len(going.history) == FORMATS["knockout"].rounds(entrants, 2, {})


@pytest.mark.parametrize("entrants", large_ones_slow(NUMBERS, 33))
def test_byes_are_in_the_first_round_only_and_for_the_best_seeds(entrants: int) -> None:
    going = competition("knockout", entrants)
    going.to_the_end(by_lot(random.Random(entrants)))
    full = len(bracket_order(2 ** (entrants - 1).bit_length()))
    assert list(going.history[0].byes) == list(range(1, full - entrants + 1))
    assert not any(past.byes for past in going.history[1:])


@pytest.mark.parametrize("entrants", large_ones_slow(NUMBERS, 33))
def test_nobody_meets_twice_and_who_has_lost_is_out(entrants: int) -> None:
    going = competition("knockout", entrants)
    going.to_the_end(by_lot(random.Random(entrants)))
    pairs = Counter(frozenset(match.entrants) for match in going.matches())
    assert set(pairs.values()) == {1}
    lost = Counter(match.entrants[match.games[0].placings.index(2)] for match in going.matches())
    assert sorted(lost.values()) == [1] * (entrants - 1)


@pytest.mark.parametrize("entrants", large_ones_slow([8, 64, 100]))
def test_who_has_had_fewer_first_moves_moves_first(entrants: int) -> None:
    going = competition("knockout", entrants)
    going.to_the_end(by_lot(random.Random(entrants)))
    assert_first_moves_are_shared_out(going.matches())


@given(st.data())
@settings(max_examples=settings().max_examples // 5, deadline=None)
def test_there_is_no_dead_end_whoever_leaves_or_is_away(data: st.DataObject) -> None:
    entrants = data.draw(st.one_of(st.integers(2, 20), st.integers(2, 100)), label="entrants")
    chance = random.Random(data.draw(st.integers(0, 10**6), label="troubles"))
    going = competition(
        "knockout",
        entrants,
        third_place=data.draw(st.booleans()),
        drawn=data.draw(st.sampled_from(["replay", "seed"])),
        replays=data.draw(st.integers(1, 3)),
        postpone=data.draw(st.integers(1, 3)),
    )
    leaving, missing = data.draw(st.sampled_from([(0.0, 0.3), (0.05, 0.1), (0.3, 0.3), (0.9, 0.5)]))
    going.expected = data.draw(st.lists(st.integers(1, 5), max_size=5).map(sorted), label="late")
    trouble = Trouble(leaves=leaving, misses=missing, no_shows=0.1, undone=0.1)
    places = going.to_the_end(by_lot(chance, draws=0.2), trouble, chance)
    assert sorted(places) == going.entrants
    assert min(places.values()) == 1
    counts = Counter(places.values())
    assert all(place == 1 + sum(n for above, n in counts.items() if above < place) for place in counts)


def test_the_draw_keeps_the_best_apart() -> None:
    """1 meets 16, 2 meets 15, and so on. The four best are in four different quarters."""
    order = bracket_order(16)
    assert all(one + two == 17 for one, two in zip(order[::2], order[1::2], strict=True))
    assert [[seed for seed in order[i : i + 4] if seed <= 4] for i in range(0, 16, 4)] == [[1], [4], [2], [3]]


def test_slots_are_named_by_round_and_place() -> None:
    assert [slot.name for slot in knockout_slots(8, True)] == [
        "W1.1",
        "W1.2",
        "W1.3",
        "W1.4",
        "W2.1",
        "W2.2",
        "F",
        "3rd",
    ]
    assert [str(slot.title) for slot in knockout_slots(20, False)][::8] == [
        "Round of 32",
        "Round of 32",
        "Round of 16",
        "Quarter-final",
    ]
    assert [slot.name for slot in knockout_slots(2, True)] == ["F"]
    assert knockout_slots(1, True) == []


def test_every_pairing_says_why() -> None:
    going = competition("knockout", 6)
    first = going.ask()
    assert isinstance(first, Pairings)
    assert [(table.slot, text(table.reason)) for table in first.tables] == [
        ("W1.2", "Quarter-final: seed 4 against seed 5."),
        ("W1.4", "Quarter-final: seed 3 against seed 6."),
    ]
    why = "Quarter-final: 6 entrants do not fill the bracket, so the best seeds advance without playing."
    assert [(bye.entrant, text(bye.reason)) for bye in first.byes] == [(1, why), (2, why)]
    going.write(first, by_number)
    second = going.ask()
    assert isinstance(second, Pairings)
    assert [text(table.reason) for table in second.tables] == [
        "Semi-final: the winner of W1.1 (seed 1) against the winner of W1.2 (seed 4).",
        "Semi-final: the winner of W1.3 (seed 2) against the winner of W1.4 (seed 3).",
    ]


def test_without_seeds_the_lots_make_the_draw() -> None:
    going = competition("knockout", 4)
    going.options = type(going.options)(2, going.options.points, lots={1: 4, 2: 1, 3: 3, 4: 2})
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert [set(table.seats) for table in answer.tables] == [{2, 1}, {4, 3}]


def test_a_drawn_match_is_played_again_with_the_first_move_changed_over() -> None:
    going = competition("knockout", 2)
    first = going.play(drawn)
    again = going.ask()
    assert isinstance(first, Pairings)
    assert isinstance(again, Pairings)
    assert again.tables[0].seats == first.tables[0].seats[::-1]
    assert again.tables[0].slot == "F"
    assert text(again.tables[0].reason) == (
        "Final: seed 1 against seed 2. It was drawn. It is played again, and the other player moves first."
    )
    going.write(again, lambda seats: [2 - one for one in map((2).__eq__, seats)])
    assert going.ask() == Finished({1: 2, 2: 1})


def test_after_its_replays_a_draw_goes_to_the_better_seed() -> None:
    going = competition("knockout", 2, replays=2)
    assert going.to_the_end(drawn) == {1: 1, 2: 2}
    assert len(going.history) == 3


def test_a_draw_may_go_to_the_better_seed_at_once() -> None:
    going = competition("knockout", 4, drawn="seed")
    assert going.to_the_end(drawn) == {1: 1, 2: 2, 3: 3, 4: 3}
    assert len(going.history) == 2


def test_others_play_on_while_a_drawn_match_is_played_again() -> None:
    going = competition("knockout", 8)
    going.play(lambda seats: [1, 1] if set(seats) == {4, 5} else by_number(seats))
    answer = going.play()
    assert isinstance(answer, Pairings)
    assert [table.slot for table in answer.tables] == ["W1.2", "W2.2"]
    [bye] = answer.byes
    assert (bye.entrant, text(bye.reason)) == (1, "Semi-final: the player is through and waits for the winner of W1.2.")
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert [table.slot for table in answer.tables] == ["W2.1"]


def test_who_withdraws_gives_the_opponent_a_walkover() -> None:
    going = competition("knockout", 8)
    going.play()
    going.withdraw(4)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert [set(table.seats) for table in answer.tables] == [{2, 3}]
    [bye] = answer.byes
    assert text(bye.reason) == "Semi-final: the opponent has withdrawn, so this player advances without playing."
    assert (bye.entrant, bye.missing) == (1, 4)
    assert going.to_the_end() == {1: 1, 2: 2, 3: 3, 4: 3, 5: 5, 6: 5, 7: 5, 8: 5}


def test_who_has_won_and_withdrawn_is_not_waited_for() -> None:
    going = competition("knockout", 4)
    going.play()
    going.withdraw(1)
    answer = going.ask()
    assert answer == Finished({1: 2, 2: 1, 3: 3, 4: 3}), "The final is given without another round."


def test_two_who_both_withdraw_leave_the_place_beyond_empty() -> None:
    going = competition("knockout", 4)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    going.write(answer, by_number)
    going.withdraw(1, 2)
    assert going.ask() == Finished({1: 1, 2: 1, 3: 3, 4: 3})


def test_a_match_to_which_nobody_came_is_lost_by_both() -> None:
    going = competition("knockout", 8, third_place=True)
    going.play()
    nobody_comes(going, {1, 8}, {2, 7})
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert [(table.slot, set(table.seats)) for table in answer.tables] == [("F", {3, 4})], "Nobody meets them before."
    assert answer.byes == ()
    assert going.to_the_end() == {3: 1, 4: 2, 5: 3, 6: 3, 1: 3, 2: 3, 7: 3, 8: 3}


def test_who_would_have_met_the_winner_of_such_a_match_advances() -> None:
    going = competition("knockout", 8)
    going.play()
    nobody_comes(going, {1, 8})
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert [(table.slot, set(table.seats)) for table in answer.tables] == [("W2.2", {2, 3})]
    assert [(bye.entrant, bye.missing, text(bye.reason)) for bye in answer.byes] == [
        (4, None, "Semi-final: no player reached this match from W1.1, so it is not played."),
    ]


def test_a_cup_to_which_nobody_comes_has_no_winner() -> None:
    going = competition("knockout", 4)
    going.play()
    nobody_comes(going, {1, 4}, {2, 3})
    assert going.ask() == Finished({1: 1, 2: 1, 3: 1, 4: 1})


def test_the_finalists_share_their_place_if_neither_comes() -> None:
    going = competition("knockout", 4)
    going.play()
    going.play()
    nobody_comes(going, {1, 2})
    assert going.ask() == Finished({1: 1, 2: 1, 3: 3, 4: 3})


def test_one_game_to_which_nobody_came_leaves_the_match_to_the_others() -> None:
    going = competition("knockout", 2)
    going.play()
    [match] = going.history[0].matches
    games = (game(match.entrants, (1, 1), absent=(0, 1)), game(match.entrants[::-1], (1, 2)))
    going.history[0] = replace(going.history[0], matches=(replace(match, games=games),))
    assert going.ask() == Finished({match.entrants[1]: 1, match.entrants[0]: 2})


def test_a_match_waits_a_round_for_who_is_away() -> None:
    going = competition("knockout", 8)
    going.away(5)
    answer = going.play()
    assert isinstance(answer, Pairings)
    assert [table.slot for table in answer.tables] == ["W1.1", "W1.3", "W1.4"]
    assert [(bye.entrant, text(bye.reason)) for bye in answer.byes] == [
        (4, "Quarter-final: the opponent is away in this round, so the match is postponed to the next round."),
        (5, "Quarter-final: this entrant is away in this round, so the match is postponed to the next round."),
    ]
    going.away()
    answer = going.play(lambda seats: by_number([-one for one in seats]))
    assert isinstance(answer, Pairings)
    assert [table.slot for table in answer.tables] == ["W1.2", "W2.2"]
    assert text(answer.tables[0].reason).endswith("It was postponed.")
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert set(answer.tables[0].seats) == {1, 5}, "Who came later has won, and goes on like anybody."


def test_who_is_away_once_more_is_not_waited_for() -> None:
    going = competition("knockout", 4)
    for _ in range(2):
        going.away(2)
        going.play()
    assert table_of(going, "F") == {1, 3}
    assert going.to_the_end() == {1: 1, 3: 2, 2: 3, 4: 3}


def test_a_round_may_have_no_match_at_all() -> None:
    going = competition("knockout", 2)
    going.away(2)
    going.play()
    assert going.history[0].matches == ()
    going.away()
    assert going.to_the_end() == {1: 1, 2: 2}


def test_of_two_who_stay_away_the_better_seed_goes_on() -> None:
    going = competition("knockout", 2)
    going.away(1, 2)
    assert isinstance(going.play(), Pairings)
    assert going.ask() == Finished({1: 1, 2: 2})


def test_who_comes_after_the_draw_is_placed_last() -> None:
    going = competition("knockout", 4)
    going.play()
    going.enter(5)
    assert going.to_the_end() == {1: 1, 2: 2, 3: 3, 4: 3, 5: 5}


def test_who_withdraws_before_the_first_round_is_not_drawn() -> None:
    going = competition("knockout", 5)
    going.withdraw(1)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert [set(table.seats) for table in answer.tables] == [{2, 5}, {3, 4}]
    assert going.to_the_end() == {2: 1, 3: 2, 4: 3, 5: 3, 1: 5}


def test_a_round_that_is_being_played_is_waited_for() -> None:
    going = competition("knockout", 4)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    going.write(answer, by_number, over=False)
    assert going.ask() == Wait("Round 1 is still being played.")


def test_one_or_none_who_are_left_end_it() -> None:
    assert competition("knockout", 1).ask() == Finished({1: 1})
    going = competition("knockout", 2)
    going.withdraw(1, 2)
    assert going.ask() == Finished({1: 1, 2: 1})


def test_too_few_are_told_what_to_do() -> None:
    assert FORMATS["knockout"].why_unplayable(2, 2, {}) is None
    assert FORMATS["knockout"].why_unplayable(1, 2, {}) == (
        "The season needs at least 2 entrants and has 1. Invite more, or make the tables smaller."
    )


def test_the_same_question_has_the_same_answer() -> None:
    going = competition("knockout", 50)
    going.play(by_lot(random.Random(5)))
    answers = [FORMATS["knockout"].next(going.entrants, going.history, going.options, SeedDealer(SEED)) for _ in "ab"]
    assert answers[0] == answers[1]
