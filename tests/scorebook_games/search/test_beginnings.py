"""Worlds of a game of several rounds begin with the last round that began afresh."""

from __future__ import annotations

import random

import pytest

from scorebook_games.contract import Event, fold, listed_actions
from scorebook_games.search import beginnings
from scorebook_games.search.beginnings import beginning_of
from scorebook_games.search.general_worlds import Beginning, GeneralWorlds
from scorebook_games.search.record import record_for
from tests.scorebook_games.rounds import Rounds, played

SEATS = 3
MOVES = 4  # of each seat in a round
POSITIONS = 1500


def dealt(log: list[Event]) -> list[int]:
    """Return which rule events deal."""
    return [number for number, event in enumerate(log[1:]) if event[0] == "dealt"]


@pytest.mark.parametrize("seat", range(SEATS))
def test_worlds_are_found_in_every_round_and_agree_with_what_the_seat_saw(seat: int) -> None:
    rules = Rounds(6)
    log = played(rules)
    options = log[0][1]["options"]
    for number in dealt(log):
        events = log[1 : number + 6]
        state = fold(rules, SEATS, options, events)
        record = record_for(rules, SEATS, options, seat, events)
        seen = rules.observation(state, seat)
        legal = [rules.move_text(state, action) for action in listed_actions(rules, state, seat)]
        begin = beginning_of(record)
        assert (begin.number > 0) == (number > 0)
        assert number - 3 <= begin.number <= number
        worlds = GeneralWorlds(record, seen, legal, POSITIONS, random.Random(1), begin).some(4)
        assert len(worlds) == 4
        assert all(rules.observation(world, seat) == seen for world in worlds)
        assert len({str(world.hands) for world in worlds}) > 1


def test_what_is_hidden_has_no_part_in_where_a_round_begins() -> None:
    """Two games in which other players hold other cards, of which the seat has seen none."""
    rules = Rounds()
    log = played(rules)
    number = dealt(log)[1]
    events = log[1 : number + 2]
    hands = events[-1][1]
    other = [*events[:-1], ["dealt", [hands[0], hands[2], hands[1]]]]
    found = [beginning_of(record_for(rules, SEATS, log[0][1]["options"], 0, each)) for each in (events, other)]
    assert found[0].number == found[1].number
    assert found[0].state.plain() == found[1].state.plain()


def test_a_secret_that_outlasts_a_round_keeps_worlds_from_beginning_with_the_next_one() -> None:
    """Also one of two values, which some worlds have in common by chance."""
    for roles, games in ((100, 1), (2, 12)):
        rules = Rounds(roles=roles)
        for game in range(games):
            log = played(rules, number=game)
            for number in dealt(log)[1:]:
                record = record_for(rules, SEATS, log[0][1]["options"], 0, log[1 : number + 2])
                assert beginning_of(record).number == 0


def test_a_game_that_deals_without_end_is_made_from_its_start() -> None:
    """Each round is made from the one before it, and the stack for that is not endless."""
    rules = Rounds()
    log = played(rules)
    begun, dealing = log[1], log[dealt(log)[1] + 1]
    record = record_for(rules, SEATS, log[0][1]["options"], 0, [begun, *[dealing] * 2000])
    assert beginning_of(record) == Beginning()


def test_after_two_rounds_that_could_not_be_made_no_other_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beginnings, "MAKING", 5)
    beginnings._last_round.cache_clear()
    rules = Rounds(6)
    log = played(rules)
    record = record_for(rules, SEATS, log[0][1]["options"], 0, log[1:])
    assert beginning_of(record)[::2] == (0, beginnings.MAX_FAILED)
    beginnings._last_round.cache_clear()
