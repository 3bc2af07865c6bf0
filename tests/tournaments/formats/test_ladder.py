"""Ladders (docs/reference/formats.md)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorebook_games.presentation.coded_text import text
from tests.tournaments.simulated_competition import MUCH, Competition, by_lot, by_number, competition
from tournaments.formats import FORMATS
from tournaments.formats.base import Finished, Pairings, Wait
from tournaments.formats.ladder import Ladder, Rungs


def challenge(going: Competition, *pairs: tuple[int, int]) -> None:
    going.options = replace(going.options, challenges=pairs)


def rungs(going: Competition) -> Rungs:
    ladder = FORMATS["ladder"]
    assert isinstance(ladder, Ladder)
    return ladder.rungs(going.entrants, going.history, going.options)


def order(going: Competition) -> list[int]:
    return list(rungs(going).order)


def beats(going: Competition, challenger: int, challenged: int, *, winner: int | None = None) -> None:
    """Let the two play. The challenger wins, unless `winner` is given."""
    best = winner or challenger
    challenge(going, (challenger, challenged))
    assert isinstance(going.play(lambda seats: [1 if one == best else 2 for one in seats]), Pairings)


def test_at_first_it_stands_by_seeds() -> None:
    assert order(competition("ladder", 5, seeds=[3, 1, 5, 2, 4])) == [3, 1, 5, 2, 4]


def test_a_challenger_who_wins_takes_the_place_and_those_between_move_down() -> None:
    going = competition("ladder", 6)
    beats(going, 5, 2)
    assert order(going) == [1, 5, 2, 3, 4, 6]


def test_or_the_two_change_places() -> None:
    going = competition("ladder", 6, rule="swap")
    beats(going, 5, 2)
    assert order(going) == [1, 5, 3, 4, 2, 6]


def test_a_challenger_who_loses_or_draws_changes_nothing() -> None:
    going = competition("ladder", 6)
    beats(going, 5, 2, winner=2)
    challenge(going, (4, 3))
    going.play(lambda seats: [1, 1])
    assert order(going) == [1, 2, 3, 4, 5, 6]


def test_challenges_are_paired_in_the_order_of_asking_and_nobody_twice_at_a_time() -> None:
    going = competition("ladder", 6)
    challenge(going, (3, 1), (2, 1), (5, 4), (4, 2))
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert [(table.slot, set(table.seats)) for table in answer.tables] == [("3>1", {3, 1}), ("5>4", {5, 4})]
    assert text(answer.tables[0].reason) == "Place 3 has challenged place 1. A win takes that place."
    going.write(answer, by_number, over=False)
    challenge(going, (2, 1), (4, 2), (6, 3))
    assert going.ask() == Wait("Nobody has made a challenge that can be played now."), "Show all are playing."
    challenge(going, (6, 2))
    assert going.ask() == Wait("Nobody has made a challenge that can be played now."), "Four places are too many."


def test_swapping_is_told_in_the_reason() -> None:
    going = competition("ladder", 3, rule="swap")
    challenge(going, (3, 1))
    answer = going.ask()
    assert isinstance(answer, Pairings)
    assert text(answer.tables[0].reason) == "Place 3 has challenged place 1. A win exchanges the two places."


@pytest.mark.parametrize(
    ("challenger", "challenged", "why"),
    [
        (2, 2, "Choose another opponent who is on the ladder."),
        (2, 99, "Choose another opponent who is on the ladder."),
        (1, 2, "You can only challenge a player above you."),
        (6, 2, "That player is 4 places above you, and only up to 3 places above can be challenged."),
        (7, 5, "The challenged player is away in this round."),
        (5, 4, "The challenger is away in this round."),
        (8, 6, "The challenger has withdrawn."),
    ],
)
def test_a_challenge_that_cannot_be_says_why(challenger: int, challenged: int, why: str) -> None:
    going = competition("ladder", 8)
    going.withdraw(8)
    going.away(5)
    assert rungs(going).refuses(challenger, challenged) == why


def test_reach_is_told_in_words_when_it_is_one_place() -> None:
    going = competition("ladder", 4, reach=1)
    assert (
        rungs(going).refuses(4, 2)
        == "That player is 2 places above you, and only the next place above can be challenged."
    )
    assert rungs(going).refuses(4, 3) is None


def test_who_has_lost_plays_others_before_asking_again() -> None:
    going = competition("ladder", 4, cooldown=2)
    beats(going, 3, 2, winner=2)
    assert rungs(going).refuses(3, 2) == "You have already met. Play 2 other matches first."
    beats(going, 4, 3, winner=3)
    assert rungs(going).refuses(3, 2) == "You have already met. Play another match first."
    beats(going, 3, 1, winner=1)
    assert rungs(going).refuses(3, 2) is None


def test_the_cooldown_binds_nobody_who_has_no_other_to_ask() -> None:
    going = competition("ladder", 2)
    beats(going, 2, 1, winner=1)
    assert rungs(going).refuses(2, 1) is None


def test_who_has_no_cooldown_may_ask_again_at_once() -> None:
    going = competition("ladder", 4, cooldown=0)
    beats(going, 4, 2, winner=2)
    assert rungs(going).refuses(4, 2) is None


def test_who_is_in_reach_is_told() -> None:
    going = competition("ladder", 6)
    going.away(3)
    assert rungs(going).reachable(5) == [2, 4]
    assert rungs(going).reachable(1) == []


def test_who_comes_late_begins_at_the_bottom() -> None:
    going = competition("ladder", 3)
    beats(going, 3, 1)
    going.enter(4)
    assert order(going) == [3, 1, 2, 4]


def test_who_withdraws_stands_below_everybody() -> None:
    going = competition("ladder", 4)
    going.withdraw(1)
    assert order(going) == [2, 3, 4, 1]
    assert rungs(going).reachable(4) == [2, 3]


def test_a_match_counts_when_it_is_over() -> None:
    going = competition("ladder", 3)
    challenge(going, (3, 1))
    answer = going.ask()
    assert isinstance(answer, Pairings)
    going.write(answer, by_number, over=False)
    assert order(going) == [1, 2, 3]


def test_when_the_time_is_up_the_last_matches_are_waited_for_and_the_ladder_is_the_result() -> None:
    going = competition("ladder", 3)
    beats(going, 3, 1)
    challenge(going, (2, 1))
    answer = going.ask()
    assert isinstance(answer, Pairings)
    going.options = replace(going.options, over=True)
    assert going.ask() == Finished({3: 1, 1: 2, 2: 3})
    going.write(answer, by_number, over=False)
    assert going.ask() == Wait("The time is up, and the last matches are still being played.")


def test_who_has_already_risen_above_the_other_stays_there() -> None:
    """3 has challenged 2 and has meanwhile come to the top: the win against 2 moves nobody."""
    going = competition("ladder", 3)
    challenge(going, (3, 2))
    asked = going.ask()
    assert isinstance(asked, Pairings)
    beats(going, 3, 1)
    going.write(asked, lambda seats: [1 if one == 3 else 2 for one in seats])
    assert order(going) == [3, 1, 2]


def test_who_has_had_fewer_first_moves_moves_first() -> None:
    going = competition("ladder", 2)
    for _ in range(6):
        above, below = order(going)
        challenge(going, (below, above))
        going.play(by_number)
    firsts = [match.entrants[0] for match in going.matches()]
    assert firsts.count(1) == firsts.count(2) == 3


@given(st.integers(2, 30), st.integers(0, 10**6), st.sampled_from(["insert", "swap"]))
@settings(max_examples=settings().max_examples // 2, deadline=None)
def test_whatever_is_asked_the_ladder_holds_everybody_once(entrants: int, seed: int, rule: str) -> None:
    """`go_on` also checks that an allowed challenge between free entrants is played."""
    chance = random.Random(seed)
    going = competition("ladder", entrants, rule=rule)
    going.expected = [2, 5, 5]
    places = going.go_on(by_lot(chance, draws=0.2), MUCH, chance, 20)
    assert sorted(places.values()) == list(range(1, len(going.entrants) + 1))


def test_a_ladder_is_for_two_at_a_table() -> None:
    ladder = FORMATS["ladder"]
    assert ladder.continuous
    assert ladder.rounds(8, 2, {}) is None
    assert ladder.why_unplayable(8, 2, {}) is None
    assert ladder.why_unplayable(1, 2, {}) == "The season needs at least 2 entrants and has 1. Invite more."
    assert ladder.why_unplayable(8, 3, {}) == (
        "A ladder needs tables of two. Make the tables smaller, or choose an arena."
    )
