"""What weights are refined by (scorebook_games.luck.record, scorebook_games.luck.refine)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from scorebook_games.kinds.chinese_ten.kind import KIND
from scorebook_games.kinds.chinese_ten.value import ChineseTenValue
from scorebook_games.luck.drift import steps
from scorebook_games.luck.games import KNOWING, play
from scorebook_games.luck.record import Mixture, Record, recorded, recorder
from scorebook_games.luck.refine import HELD_OUT, SEATS, Refinement, Table

VALUE = ChineseTenValue(KIND.rules, KIND.folder / "value-1.json")
CARELESS = [0.0, 0.0, 0.3]
LOG = play("chinese_ten", CARELESS, bytes(32), options={"turn_limit": 6})
WEIGHTS = [*VALUE.weights, *VALUE.spread_weights]


@pytest.fixture(scope="module")
def record() -> Record:
    return recorded(recorder(VALUE), LOG, CARELESS)


def refinement(record: Record) -> Refinement:
    events: dict[str, int] = {}
    tables = [Table.of(np, record, events) for _ in range(2)]  # the first of them is held out
    return Refinement(np, tables, len(events), len(VALUE.names))


def squares(record: Record, weights: Sequence[float]) -> float:
    found = refinement(record)
    return found.squares(found.tables, np.array(weights)).whole


def test_mixtures_are_added_and_weighted_as_numbers_are() -> None:
    one, other = Mixture(0.5, {1: 1.0}), Mixture(0.25, {1: -1.0, 2: 0.5})
    mean = sum([3.0 * one, 1.0 * other]) / 4
    assert isinstance(mean, Mixture)
    assert (mean.fixed, mean.shares) == (0.4375, {1: 0.5, 2: 0.125})
    rest = 1 - (one - 0.5)
    assert (rest.fixed, rest.shares) == (1.0, {1: -1.0})


def test_recorded_values_are_those_of_the_value_function(record: Record) -> None:
    table = Table.of(np, record, {})
    duels = table.duels(np, np.array(WEIGHTS), len(VALUE.names))
    found = list(steps(VALUE, LOG))
    for sums, values in (
        (table.before, [each for step in found for each in step.before]),
        (table.after, [each for step in found for each in step.after]),
    ):
        assert sums.values(np, *duels)[0] == pytest.approx(values, abs=1e-5)


def test_a_moment_says_who_decided_last_and_whether_sensibly(record: Record) -> None:
    deciders = [step.seat for step in steps(VALUE, LOG)]
    own = [moment.seat for moment in record.moments if moment.own]
    assert own == deciders
    assert {(moment.usual, deciders[place // 3] == 2) for place, moment in enumerate(record.moments)} == {
        (True, False),
        (False, True),
    }


def test_the_slope_says_how_the_sum_of_squares_changes_with_each_weight(record: Record) -> None:
    found = refinement(record)
    slope = found.squares(found.tables, np.array(WEIGHTS)).slope
    for place, weight in enumerate(WEIGHTS):
        step = 1e-4 * max(1.0, abs(weight))
        rise, fall = (
            squares(record, [*WEIGHTS[:place], weight + sign * step, *WEIGHTS[place + 1 :]]) for sign in (1, -1)
        )
        assert 2 * slope[place] == pytest.approx((rise - fall) / (2 * step), rel=1e-2, abs=1e-7)


def test_refined_weights_have_a_smaller_sum_of_squares(record: Record) -> None:
    found = refinement(record)
    assert squares(record, found.run(WEIGHTS)) < squares(record, WEIGHTS)


def test_every_table_size_is_held_out_with_every_mix_of_players() -> None:
    held_out = range(0, HELD_OUT * len(SEATS) * len(KNOWING), HELD_OUT)
    found = {(SEATS[number % len(SEATS)], KNOWING[number % len(KNOWING)]) for number in held_out}
    assert found == set(product(SEATS, KNOWING))
