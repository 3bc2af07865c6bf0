"""Measuring all moves at a decision (`scorebook_games.practice`)."""

from __future__ import annotations

import pytest

from scorebook_games.contract import Event
from scorebook_games.practice import MoveValue, choices_at, lead_of, measure
from scorebook_games.registry import KINDS
from scorebook_games.review.lines import Setting
from scorebook_games.review.sight import DECISION, sight_of
from tests.scorebook_games.review.reviewed_games import half_and_its_like, played


def values_of(log: list[Event], seat: int, seed: str = "a") -> list[MoveValue]:
    sight = sight_of(log, seat)
    setting = Setting(sight)
    decisions = [each for each in sight.positions if each.what == DECISION and len(each.legal) > 1]
    at = decisions[len(decisions) // 2]
    return measure(setting, at, choices_at(setting, at), seed=seed, positions=500)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_cards_hidden_from_a_seat_have_no_part_in_the_values_of_its_moves(kind: str) -> None:
    log, like, seat = half_and_its_like(kind)
    assert values_of(like, seat) == values_of(log, seat)


def test_another_seed_gives_other_worlds() -> None:
    log = played("palace", [0.3, 0.3])
    assert values_of(log, 0, "a") != values_of(log, 0, "b")


def test_the_lead_is_that_over_the_nearest_move() -> None:
    best, near, far = (MoveValue("", 0.5, 0.01, cost, 0.02, 9) for cost in (0.0, 0.06, 0.2))
    assert lead_of([best, near, far]) == pytest.approx(3)
    assert lead_of([best]) == 0
