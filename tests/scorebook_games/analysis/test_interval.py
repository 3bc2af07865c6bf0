"""The comparison of two bots: an interval that is valid at every look, and a sequential test of two claims."""

from __future__ import annotations

import math
import random

import pytest

from scorebook_games.analysis.comparison import (
    LLR_LIMIT,
    MAX_DEALS,
    MIN_DEALS,
    MIN_TEST_DEALS,
    Bounds,
    SequentialTest,
    compare,
    expected_share,
    interval_of,
    points_share,
)
from tests.bench.comparisons import is_too_often, normal, simulate


def test_the_true_share_is_outside_the_interval_of_any_look_no_more_often_than_one_in_twenty() -> None:
    missed = 0
    for run in range(100):
        chance = random.Random(f"interval {run}")
        deals: list[float] = []
        out = False
        while len(deals) < 160:
            deals += [sum(chance.random() < 0.5 for _ in range(2)) / 2 for _ in range(8)]
            found = interval_of(deals)
            out = out or (found.deals >= MIN_DEALS and not found.low <= 0.5 <= found.high)
        missed += out
    assert missed <= 9


def test_nothing_is_said_of_a_few_deals_and_equal_results_are_no_certainty() -> None:
    assert not interval_of([1.0] * (MIN_DEALS - 1)).sure
    assert interval_of([1.0] * MIN_DEALS).sure
    assert (interval_of([]).low, interval_of([]).high) == (0.0, 1.0)
    assert not interval_of([0.5] * MAX_DEALS).sure


def test_a_share_is_at_most_all_points_and_at_least_none() -> None:
    assert interval_of([1.1, 0.98] * MIN_DEALS).share == 1.0
    assert interval_of([-0.1, 0.02] * MIN_DEALS).share == 0.0


def test_the_ratio_is_that_of_two_normal_distributions_with_the_spread_of_the_deals() -> None:
    deals = [0.25, 0.75, 1.0, 0.5]
    worse, better = expected_share(0), expected_share(100)
    mean = sum(deals) / 4
    spread = sum((each - mean) ** 2 for each in deals) / 4
    logs = [((each - worse) ** 2 - (each - better) ** 2) / (2 * spread) for each in deals]
    assert compare(deals, Bounds(0, 100)).test.path[-1] == pytest.approx(sum(logs))
    assert math.isclose(better, 10 ** (100 / 400) / (1 + 10 ** (100 / 400)))


@pytest.mark.parametrize(("mean", "verdict"), [(0.6, "accepted"), (0.4, "rejected")])
def test_the_deal_that_reaches_a_limit_decides_and_later_ones_are_not_counted(mean: float, verdict: str) -> None:
    deals = [mean - 0.3, mean + 0.3] * 200
    found = compare(deals, Bounds(0, 50))
    assert found.test.verdict == verdict
    assert MIN_TEST_DEALS <= found.points.deals == len(found.test.path) < len(deals)
    assert abs(found.test.path[-1]) >= LLR_LIMIT
    assert all(abs(llr) < LLR_LIMIT for llr in found.test.path[MIN_TEST_DEALS - 1 : -1])
    assert compare(deals[: found.points.deals], Bounds(0, 50)) == found


def test_a_comparison_between_two_claims_ends_at_its_limit_without_a_verdict_for_either() -> None:
    deals = [expected_share(10) - 0.5, expected_share(10) + 0.5] * (MAX_DEALS // 2)
    assert compare(deals[:-1], Bounds(0, 20)).test.verdict is None
    assert compare(deals, Bounds(0, 20)).test.verdict == "undecided"


def test_wrong_verdicts_come_no_more_often_than_one_in_twenty() -> None:
    bounds, runs = Bounds(0, 50), 400
    assert not is_too_often(simulate(bounds, 0, normal, 0.19, runs, MAX_DEALS).rate("accepted"), runs)
    assert not is_too_often(simulate(bounds, 50, normal, 0.19, runs, MAX_DEALS).rate("rejected"), runs)
    assert is_too_often(simulate(bounds, 25, normal, 0.19, runs, MAX_DEALS).rate("accepted"), runs)


@pytest.mark.parametrize(("elo0", "elo1", "valid"), [(0, 20, True), (-20, 0, True), (0, 4, False), (0, 401, False)])
def test_bounds_lie_in_order_and_not_too_near_to_each_other(elo0: int, elo1: int, valid: bool) -> None:
    assert Bounds(elo0, elo1).valid is valid
    assert not Bounds(elo1, elo0).valid
    assert SequentialTest(Bounds(elo0, elo1)).verdict is None


@pytest.mark.parametrize(
    ("placings", "shares"),
    [((1, 2), [1, 0]), ((1, 1), [0.5, 0.5]), ((2, 1, 2), [0.25, 1, 0.25]), ((1, 3, 2, 4), [1, 1 / 3, 2 / 3, 0])],
)
def test_points_are_the_share_of_the_others_that_a_seat_came_in_before(
    placings: tuple[int, ...], shares: list[float]
) -> None:
    assert [points_share(placings, seat) for seat in range(len(placings))] == pytest.approx(shares)
