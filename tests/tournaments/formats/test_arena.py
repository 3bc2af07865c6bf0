"""Arenas (docs/reference/formats.md)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.presentation.coded_text import text
from tests.tournaments.simulated_competition import (
    MUCH,
    Competition,
    Result,
    by_lot,
    by_number,
    by_strength,
    competition,
    game,
)
from tournaments.core.results import MatchResult, RoundResult
from tournaments.formats import FORMATS
from tournaments.formats.arena import estimate_strengths
from tournaments.formats.base import Finished, Pairings, Wait


def run(going: Competition, steps: int, result: Result, seed: int = 0) -> None:
    """Pair as long as the format pairs, and let one match end, `steps` times."""
    chance = random.Random(seed)
    for _ in range(steps):
        while isinstance(answer := going.ask(), Pairings):
            going.check(answer)
            going.write(answer, result, over=False)
        assert isinstance(answer, Wait)
        going.finish(result, chance)


def met_in_order(going: Competition, entrant: int) -> list[set[int]]:
    return [set(match.entrants) - {entrant} for match in going.matches() if entrant in match.entrants]


@pytest.mark.parametrize("entrants", [2, 3, 4, 5, 8, 17])
def test_everybody_gets_the_floor_and_about_as_many(entrants: int) -> None:
    going = competition("arena", entrants, floor=6)
    run(going, entrants * 4, by_strength(random.Random(1)))
    played = Counter(one for match in going.matches() for one in match.entrants)
    assert min(played[one] for one in going.entrants) >= 6, "Eight on the average."


def test_below_the_floor_who_has_played_least_goes_first() -> None:
    going = competition("arena", 9, floor=3)
    counts: Counter[int] = Counter()
    for _ in range(8):
        answer = going.play(by_number)
        assert isinstance(answer, Pairings)
        seated = {one for table in answer.tables for one in table.seats}
        (resting,) = set(going.entrants) - seated
        assert min(counts[resting], 3) >= max(min(counts[one], 3) for one in seated) - 1
        counts.update(seated)
    assert max(counts.values()) - min(counts.values()) <= 2


@pytest.mark.some(2)
@pytest.mark.parametrize("entrants", [3, 4, 5, 9, 20])
def test_nobody_meets_the_same_opponent_twice_in_a_row(entrants: int) -> None:
    going = competition("arena", entrants)
    run(going, 120, by_strength(random.Random(2)))
    for entrant in going.entrants:
        assert all(one != two for one, two in pairwise(met_in_order(going, entrant)))


def test_two_alone_meet_again_and_again() -> None:
    going = competition("arena", 2)
    run(going, 6, by_number)
    assert [set(match.entrants) for match in going.matches()][:6] == [{1, 2}] * 6
    firsts = Counter(match.entrants[0] for match in going.matches()[:6])
    assert firsts == {1: 3, 2: 3}


def test_at_tables_too_the_same_do_not_meet_twice_in_a_row() -> None:
    going = competition("arena", 16, 4)
    run(going, 60, by_strength(random.Random(3)))
    again = Counter(
        bool(one & two) for entrant in going.entrants for one, two in pairwise(met_in_order(going, entrant))
    )
    assert again[True] <= again[False] / 4, "Only where nothing else is being played."
    assert {len(match.entrants) for match in going.matches()} == {4}


def test_beyond_the_floor_those_near_in_strength_meet() -> None:
    going = competition("arena", 16, floor=4)
    run(going, 240, by_strength(random.Random(4)))
    late = going.matches()[120:]
    near = sum(abs(match.entrants[0] - match.entrants[1]) <= 5 for match in late)
    far = sum(abs(match.entrants[0] - match.entrants[1]) > 10 for match in late)
    assert near / far > 1.5 * 65 / 15, "Of all 120 pairs 65 are as near and 15 as far."


def test_of_those_as_near_one_meets_whom_one_has_met_less() -> None:
    going = competition("arena", 12, floor=0)
    for _ in range(7):
        going.play(lambda seats: [1, 1])
    times = Counter(frozenset(match.entrants) for match in going.matches())
    assert max(times.values()) <= 2
    assert len(times) >= 36, "Of 42 matches few are rematches."


def test_what_is_known_follows_the_results() -> None:
    history = [RoundResult(1, (MatchResult((1, 2), (game((1, 2), (1, 2)), game((2, 1), (2, 1)))),))]
    known = estimate_strengths([1, 2, 3], history)
    assert known.strength[1] > 0 > known.strength[2]
    assert known.strength[1] == pytest.approx(-known.strength[2])
    assert known.variance[1] < known.variance[3] == 1.0
    assert known.played == {1: 1, 2: 1, 3: 0}
    assert known.just_met(1, 2)
    assert not known.just_met(1, 3)
    assert known.gain(1, 3) > known.gain(1, 2), "Nothing is known of 3."


def test_a_draw_tells_less_of_equals_than_nothing_but_narrows() -> None:
    known = estimate_strengths([1, 2], [RoundResult(1, (MatchResult((1, 2), (game((1, 2), (1, 1)),)),))])
    assert known.strength == {1: 0.0, 2: 0.0}
    assert known.variance[1] == pytest.approx(1 / 1.25)
    assert known.expected(1, 2) == 0.5


def test_reasons_tell_matches_and_chances() -> None:
    going = competition("arena", 4, floor=1)
    answer = going.play(by_number)
    assert isinstance(answer, Pairings)
    assert text(answer.tables[0].reason) == (
        "All players at this table are free and have played 0 and 0 matches. Everyone plays 1 match first. "
        "By the results so far, their chances are 50 to 50 percent."
    )
    answer = going.play(by_number)
    assert isinstance(answer, Pairings)
    assert "first" not in text(answer.tables[0].reason)
    table = competition("arena", 3, 3).ask()
    assert isinstance(table, Pairings)
    assert text(table.tables[0].reason).endswith(
        "Judging by the results, they are the closest in strength of all free players."
    )


def test_no_more_are_played_at_a_time_than_said() -> None:
    going = competition("arena", 12, in_flight=2)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert len(answer.tables) == 2
    going.write(answer, by_number, over=False)
    assert going.ask() == Wait("2 matches are being played, as many as there may be at a time.")


def test_who_is_away_or_has_withdrawn_is_not_paired_and_who_comes_late_is() -> None:
    going = competition("arena", 5)
    going.withdraw(1)
    going.away(2)
    going.enter(6)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert {one for table in answer.tables for one in table.seats} == {3, 4, 5, 6}


def test_fewer_than_a_table_wait_or_sit_at_a_short_one() -> None:
    going = competition("arena", 4, 4)
    going.away(4)
    assert going.ask() == Wait("Fewer than 4 who have not just met are free.")
    going.options = replace(going.options, short=True)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert set(answer.tables[0].seats) == {1, 2, 3}
    going.away(2, 3, 4)
    assert isinstance(going.ask(), Wait)


def test_two_who_have_just_met_wait_for_another_who_plays() -> None:
    going = competition("arena", 4)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    going.write(answer, by_number, over=False)
    going.finish(by_number, random.Random(1))
    assert going.ask() == Wait("Fewer than 2 who have not just met are free.")
    going.finish(by_number, random.Random(1))
    assert isinstance(going.ask(), Pairings)


def test_they_wait_a_minute_and_then_meet_again() -> None:
    going = competition("arena", 4)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    going.write(answer, by_number, over=False)
    going.finish(by_number, random.Random(1))
    free = set(going.entrants) - going.playing()
    for now, pairs in ((1000, []), (1059, []), (1060, [free])):
        going.options = replace(going.options, free_since=dict.fromkeys(free, 1000), now=now)
        answer = going.ask()
        made = [set(table.seats) for table in answer.tables] if isinstance(answer, Pairings) else []
        assert made == pairs
        assert pairs or answer == Wait("Fewer than 2 who have not just met are free.", 1060)


@pytest.mark.parametrize("entrants", [3, 4, 6])
def test_a_player_who_never_comes_is_soon_paired_no_more(entrants: int) -> None:
    going = competition("arena", entrants)
    for _ in range(20):
        answer = going.play(by_number)
        assert isinstance(answer, Pairings)
        matches = [
            replace(match, games=(game(match.entrants, (1, 2), (match.entrants.index(1),)),))
            if 1 in match.entrants
            else match
            for match in going.history[-1].matches
        ]
        going.history[-1] = replace(going.history[-1], matches=tuple(matches))
    played = Counter(one for match in going.matches() for one in match.entrants)
    assert played[1] <= 3
    assert min(played[one] for one in going.entrants[1:]) >= 12, "The others play on."


def test_who_missed_a_match_is_paired_again_after_four_others() -> None:
    going = competition("arena", 4)
    matches = [((1, 2), (0,)), ((3, 4), ())] + [((2, 3), ()), ((2, 4), ())] * 2
    going.history = [
        RoundResult(number, (MatchResult(seats, (game(seats, (1, 2), absent),)),))
        for number, (seats, absent) in enumerate(matches, start=1)
    ]
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert 1 in answer.tables[0].seats, "Four and more have been paired since."


def test_when_the_time_is_up_the_last_matches_are_waited_for_and_the_standings_are_the_result() -> None:
    going = competition("arena", 4)
    for _ in range(6):
        going.play(by_number)
    answer = going.ask()
    assert isinstance(answer, Pairings)
    going.options = replace(going.options, over=True)
    final = going.ask()
    assert isinstance(final, Finished)
    assert final.places[1] == 1
    assert final.places[4] == 4
    going.write(answer, by_number, over=False)
    assert going.ask() == Wait("The time is up, and the last matches are still being played.")


@given(st.integers(2, 40), st.integers(2, 5), st.booleans(), st.integers(0, 10**6))
@settings(max_examples=settings().max_examples // 5, deadline=None)
def test_there_is_no_dead_end_whoever_leaves_or_is_away(entrants: int, size: int, short: bool, seed: int) -> None:
    """`go_on` checks that a table is made whenever nothing is being played and enough entrants are there."""
    chance = random.Random(seed)
    going = competition("arena", max(entrants, size), size, short=short, in_flight=chance.randint(1, 5))
    going.expected = [3, 3, 5]
    going.go_on(by_lot(chance, draws=0.2), MUCH, chance, 25)


def test_an_arena_says_what_it_needs() -> None:
    arena = FORMATS["arena"]
    assert arena.continuous
    assert arena.rounds(8, 2, {}) is None
    assert arena.why_unplayable(4, 4, {}) is None
    assert (
        arena.why_unplayable(3, 4, {})
        == "The season needs at least 4 entrants and has 3. Invite more, or make the tables smaller."
    )
