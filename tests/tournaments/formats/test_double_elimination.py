"""Double elimination (docs/reference/formats.md)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.presentation.coded_text import text
from tests.tournaments.formats.fairness import assert_first_moves_are_shared_out
from tests.tournaments.simulated_competition import (
    Trouble,
    by_lot,
    by_number,
    competition,
    large_ones_slow,
    nobody_comes,
)
from tournaments.core.results import MatchResult
from tournaments.formats import FORMATS, double_elimination
from tournaments.formats.base import Finished, Pairings
from tournaments.formats.double_elimination import crossings, double_elimination_slots, lower_slots

NUMBERS = (*range(2, 10), 12, 15, 16, 17, 31, 33, 64)  # tests.bench.formats has all numbers up to 200


def upset(seats: Sequence[int]) -> list[int]:
    """Place the higher number first."""
    return by_number([-one for one in seats])


def losses(matches: Sequence[MatchResult]) -> Counter[int]:
    return Counter(match.entrants[match.games[0].placings.index(2)] for match in matches)


def winner(match: MatchResult) -> int:
    return match.entrants[match.games[0].placings.index(1)]


@pytest.mark.parametrize("entrants", large_ones_slow(NUMBERS, 17))
def test_nobody_but_the_winner_has_lost_fewer_than_two(entrants: int) -> None:
    for seed in range(2):
        going = competition("double_elimination", entrants)
        places = going.to_the_end(by_lot(random.Random(seed)))
        lost = losses(going.matches())
        champion = next(one for one, place in places.items() if place == 1)
        assert lost[champion] <= 1
        assert all(lost[one] == 2 for one in going.entrants if one != champion)
        assert len(going.matches()) == 2 * entrants - 2 + lost[champion]
        assert Counter(places.values())[1] == 1


@pytest.mark.parametrize("entrants", large_ones_slow(NUMBERS, 17))
def test_the_two_best_are_the_two_first_if_results_follow_seeds(entrants: int) -> None:
    going = competition("double_elimination", entrants)
    places = going.to_the_end(by_number)
    assert (places[1], places[2]) == (1, 2)
    assert losses(going.matches())[1] == 0
    assert len(going.history) == FORMATS["double_elimination"].rounds(entrants, 2, {"reset": False})


def lower_rematches(entrants: int, seeds: range) -> list[int]:
    """Return the rounds of the lower bracket in which two entrants met again."""
    found = []
    for seed in seeds:
        going = competition("double_elimination", entrants)
        going.to_the_end(by_lot(random.Random(seed)))
        met: set[frozenset[int]] = set()
        for match in going.matches():
            pair = frozenset(match.entrants)
            if pair in met and match.slot.startswith("L"):
                found.append(int(match.slot[1:].partition(".")[0]))
            met.add(pair)
    return found


@pytest.mark.parametrize("entrants", large_ones_slow([8, 16, 32]))
def test_two_meet_again_late_only(entrants: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody meets again in the first half of the lower bracket. Without the crossing, some do from its second round
    on."""
    crossed = lower_rematches(entrants, range(6))
    assert min(crossed, default=9) >= (entrants - 1).bit_length()
    monkeypatch.setattr(double_elimination, "crossings", lambda rounds: dict.fromkeys(range(2, rounds + 1), 0))
    straight = lower_rematches(entrants, range(6))
    assert 2 in straight
    assert len(crossed) < len(straight) / 2


def test_losers_are_crossed_so_that_eight_cannot_meet_again_before_the_third_lower_round() -> None:
    """The loser of an upper semi-final meets an entrant who came from the other half of the bracket."""
    assert crossings(3)[2] == 1
    second = {slot.name: slot.sources for slot in lower_slots(3) if slot.name.startswith("L2")}
    assert [sources[0].slot for sources in second.values()] == ["W2.2", "W2.1"]


def test_every_loser_of_the_upper_bracket_drops_once_whatever_the_crossing() -> None:
    for rounds in range(1, 9):
        drawn = double_elimination_slots(2**rounds, True)
        dropped = [source.slot for slot in drawn for source in slot.sources if source.kind == "loser"]
        upper = [slot.name for slot in drawn if slot.name.startswith("W")]
        assert sorted(dropped) == sorted(upper)
        names = [slot.name for slot in drawn]
        for slot in drawn:
            assert all(
                source.kind == "seed" or names.index(source.slot) < names.index(slot.name) for source in slot.sources
            )


def test_rounds_of_slots_never_go_back() -> None:
    earliest = {slot.name: slot.earliest for slot in double_elimination_slots(32, True)}
    for slot in double_elimination_slots(32, True):
        assert all(source.kind == "seed" or earliest[source.slot] < slot.earliest for source in slot.sources)
    lower = [slot.level for slot in double_elimination_slots(32, True) if slot.section == "lower"]
    assert all(one <= two for one, two in pairwise(lower))


@pytest.mark.parametrize("entrants", large_ones_slow([8, 32, 64]))
def test_who_has_had_fewer_first_moves_moves_first(entrants: int) -> None:
    going = competition("double_elimination", entrants)
    going.to_the_end(by_lot(random.Random(entrants)))
    assert_first_moves_are_shared_out(going.matches())


@given(st.data())
@settings(max_examples=settings().max_examples // 3, deadline=None)
def test_there_is_no_dead_end_whoever_leaves_or_is_away(data: st.DataObject) -> None:
    entrants = data.draw(st.one_of(st.integers(2, 20), st.integers(2, 64)), label="entrants")
    chance = random.Random(data.draw(st.integers(0, 10**6), label="troubles"))
    going = competition(
        "double_elimination",
        entrants,
        reset=data.draw(st.booleans()),
        drawn=data.draw(st.sampled_from(["replay", "seed"])),
        postpone=data.draw(st.integers(1, 2)),
    )
    leaving, missing = data.draw(st.sampled_from([(0.0, 0.3), (0.05, 0.1), (0.3, 0.3), (0.9, 0.5)]))
    going.expected = data.draw(st.lists(st.integers(1, 5), max_size=5).map(sorted), label="late")
    trouble = Trouble(leaves=leaving, misses=missing, no_shows=0.1, undone=0.1)
    places = going.to_the_end(by_lot(chance, draws=0.2), trouble, chance)
    assert sorted(places) == going.entrants
    assert min(places.values()) == 1


def test_four_play_it_as_it_is_told() -> None:
    """1 beats all. 2 loses the upper final, wins the lower bracket and is second."""
    going = competition("double_elimination", 4)
    going.to_the_end(by_number)
    rounds = [[(match.slot, set(match.entrants)) for match in past.matches] for past in going.history]
    assert rounds == [
        [("W1.1", {1, 4}), ("W1.2", {2, 3})],
        [("W2.1", {1, 2}), ("L1.1", {3, 4})],
        [("L2.1", {2, 3})],
        [("F", {1, 2})],
    ]
    assert going.history[2].byes == (1,)
    assert going.ask() == Finished({1: 1, 2: 2, 3: 3, 4: 4})


def test_who_comes_from_above_may_lose_the_grand_final_once() -> None:
    going = competition("double_elimination", 2)
    going.play(by_number)
    going.play(upset)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert [(table.slot, text(table.reason)) for table in answer.tables] == [
        ("R", "Second grand final: both have now lost once, so they meet again.")
    ]
    going.write(answer, upset)
    assert going.ask() == Finished({1: 2, 2: 1})


def test_the_second_grand_final_can_be_left_out() -> None:
    going = competition("double_elimination", 2, reset=False)
    going.play(by_number)
    going.play(upset)
    assert going.ask() == Finished({1: 2, 2: 1})


def test_no_second_grand_final_is_owed_to_who_has_withdrawn() -> None:
    going = competition("double_elimination", 4)
    for _ in range(3):
        going.play(by_number)
    going.withdraw(1)
    assert going.ask() == Finished({1: 2, 2: 1, 3: 3, 4: 4})


def test_who_withdraws_above_does_not_come_back_below() -> None:
    going = competition("double_elimination", 4)
    going.play(by_number)
    going.withdraw(2)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert [(table.slot, set(table.seats)) for table in answer.tables] == [("L1.1", {3, 4})]
    [bye] = answer.byes
    assert text(bye.reason) == "Upper final: the opponent has withdrawn, so this player advances without playing."
    assert (bye.entrant, bye.missing) == (1, 2)
    places = going.to_the_end(by_number)
    assert places == {1: 1, 3: 2, 2: 3, 4: 4}
    why = [text(rest.reason) for answer in going.answers for rest in answer.byes if rest.entrant == 3]
    assert why == [], "Who has beaten 4 is in the final without a rest."


def test_two_who_do_not_come_to_their_match_are_both_out() -> None:
    going = competition("double_elimination", 4)
    going.play(by_number)
    nobody_comes(going, {1, 4})
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert [(table.slot, set(table.seats)) for table in answer.tables] == [("F", {2, 3})], "All others are out."
    going.write(answer, by_number)
    assert going.to_the_end(by_number) == {2: 1, 3: 2, 1: 3, 4: 3}


def test_nobody_wins_a_grand_final_to_which_nobody_comes() -> None:
    going = competition("double_elimination", 4)
    for _ in range(4):
        going.play(by_number)
    nobody_comes(going, {1, 2})
    assert going.ask() == Finished({1: 1, 2: 1, 3: 3, 4: 4})


def test_byes_above_make_byes_below() -> None:
    going = competition("double_elimination", 3)
    going.play(by_number)
    answer = going.play(by_number)
    assert isinstance(answer, Pairings)
    assert [(table.slot, set(table.seats)) for table in answer.tables] == [("W2.1", {1, 2})]
    [bye] = answer.byes
    why = "Lower bracket, round 1: no player reached this match from W1.1, so it is not played."
    assert (bye.entrant, text(bye.reason)) == (3, why)


def test_tables_of_three_and_more_are_refused() -> None:
    assert FORMATS["double_elimination"].why_unplayable(9, 3, {}) == (
        "Double elimination needs tables of two. Make the tables smaller, or choose a knockout."
    )
    assert (
        FORMATS["double_elimination"].why_unplayable(1, 2, {})
        == "The season needs at least 2 entrants and has 1. Invite more."
    )
    assert FORMATS["double_elimination"].why_unplayable(2, 2, {}) is None


def test_rounds_are_told_for_a_calendar() -> None:
    assert FORMATS["double_elimination"].rounds(8, 2, {}) == 7
    assert FORMATS["double_elimination"].rounds(8, 2, {"reset": False}) == 6


def test_winners_of_every_match_go_on_as_the_slots_say() -> None:
    going = competition("double_elimination", 8)
    going.to_the_end(by_lot(random.Random(3)))
    by_slot = {match.slot: match for match in going.matches()}
    for slot in double_elimination_slots(8, True):
        for source in slot.sources:
            if source.kind == "winner" and slot.name in by_slot:
                assert winner(by_slot[source.slot]) in by_slot[slot.name].entrants
