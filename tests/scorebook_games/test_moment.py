"""The analysis of a moment (`scorebook_games.moment`): from the seat's own eyes, and more exact with each step."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorebook_games.contract import Event
from scorebook_games.moment import Analysis, moment_at
from scorebook_games.registry import KINDS
from scorebook_games.review import NoReview
from scorebook_games.review.sight import DECISION, sight_of
from tests.parameters import mostly_slow
from tests.scorebook_games.review.reviewed_games import half_and_its_like, played


def decisions_of(log: list[Event], seat: int) -> list[int]:
    """Return the versions at which the seat chooses among several moves."""
    return [at.version for at in sight_of(log, seat).positions if at.what == DECISION and len(at.legal) > 1]


def analysed(log: list[Event], seat: int, version: int, steps: int = 1) -> list[dict[str, Any]]:
    """Return the analysis after each step."""
    made, found = Analysis(log, seat, version), []
    for _ in range(steps):
        made.step()
        found.append(made.plain())
    return found


@pytest.mark.parametrize("kind", mostly_slow(sorted(KINDS), ["chinese_ten"]))
def test_cards_hidden_from_a_seat_have_no_part_in_the_analysis(kind: str) -> None:
    log, like, seat = half_and_its_like(kind)
    for version in (len(log), decisions_of(log, seat)[-1]):
        assert json.dumps(analysed(like, seat, version)) == json.dumps(analysed(log, seat, version))


def test_each_step_makes_the_chance_and_the_costs_more_exact() -> None:
    log = played("chinese_ten", [0.3, 0.3])
    first, *_, last = analysed(log, 0, decisions_of(log, 0)[2], steps=6)
    assert last["samples"] > first["samples"]
    assert last["error"] < first["error"]
    assert abs(last["chance"] - first["chance"]) <= 4 * first["error"]
    assert sum(move["worlds"] for move in last["moves"]) > sum(move["worlds"] for move in first["moves"])


def test_at_a_decision_all_moves_are_compared_with_the_one_that_was_made() -> None:
    log = played("palace", [0.3, 0.3])
    version = decisions_of(log, 1)[3]
    found = analysed(log, 1, version)[0]
    assert found["version"] == version
    assert found["made"] in [move["move"] for move in found["moves"]]
    best, *others = found["moves"]
    assert best["cost"] == 0
    assert all(move["worlds"] <= best["worlds"] for move in others)


def test_between_two_decisions_the_chance_alone_is_told() -> None:
    log = played("plates", [0.3, 0.3])
    turn = next(at for at in sight_of(log, 0, every_move=True).positions if at.what == "turn")
    found = analysed(log, 0, turn.version)[0]
    assert (found["what"], found["moves"], found["made"]) == ("turn", [], None)
    assert 0 < found["chance"] < 1


def test_an_analysis_ends_with_its_budget() -> None:
    log = played("chinese_ten", [0.3, 0.3])
    made = Analysis(log, 0, decisions_of(log, 0)[0], budget=6000)
    while not made.over:
        made.step()
    spent = made.spent
    made.step()
    assert made.spent == spent >= 6000


def test_nothing_is_analysed_before_the_game_or_after_it() -> None:
    log = played("chinese_ten", [0.3, 0.3])
    with pytest.raises(NoReview, match="has not begun"):
        Analysis(log, 0, 1)
    with pytest.raises(NoReview, match="is over"):
        Analysis(log, 0, len(log))


def test_a_moment_within_a_move_is_that_before_the_move() -> None:
    sight = sight_of(played("chinese_ten", [0.0, 0.0]), 0, every_move=True)
    moments = [at.version for at in sight.positions]
    later = next(version + 1 for version in moments if version + 1 not in moments)
    assert moment_at(sight, later).version == later - 1
