"""The comparison of two bots by bets: an interval and a sequential test of two claims that hold at every look."""

from __future__ import annotations

import math
import random

import pytest

from scorebook_games.analysis.betting import LIMIT, MOST_LOST, Bet, Gambler
from scorebook_games.analysis.comparison import (
    LUCK_REACH,
    MAX_DEALS,
    Bounds,
    SequentialTest,
    compare,
    expected_share,
    interval_of,
)
from scorebook_games.placings import points_share
from tests.bench.comparisons import BROKEN, is_too_often, simulate


def twice(*means: float) -> list[tuple[float, float]]:
    """Return the results of deals without luck."""
    return [(mean, mean) for mean in means]


# -- bets


@pytest.mark.parametrize("reach", [0.0, LUCK_REACH])
@pytest.mark.parametrize("size", [0.1, 1.0, 50.0])
def test_the_capital_stays_positive_and_a_true_claim_multiplies_it_by_1_on_average(size: float, reach: float) -> None:
    low, high = -reach, 1 + reach
    for mean in (0.2, 0.5, 0.7):
        chance = (mean - low) / (high - low)  # of the highest result, else the lowest
        one, other = (Bet(result, reach, size).factor(mean) for result in (high, low))
        assert min(one, other) >= 1 - MOST_LOST - 1e-9
        assert chance * one + (1 - chance) * other == pytest.approx(1)


def test_a_bet_depends_on_earlier_results_only() -> None:
    one, other = Gambler(0.03, (0.0, LUCK_REACH)), Gambler(0.03, (0.0, LUCK_REACH))
    for result in (0.5, 1.0, 0.25):
        one.add((result, 0.6))
        other.add((result, 0.6))
    first, second = one.add((0.0, -0.7)), other.add((1.0, 1.7))
    assert (first.size, first.reach) == (second.size, second.reach)


def test_bets_are_made_on_the_measure_that_varies_less_and_on_the_narrower_one_if_neither_varies() -> None:
    luck = Gambler(0.03, (0.0, LUCK_REACH))
    equal = Gambler(0.03, (0.0, LUCK_REACH))
    for number in range(40):
        luck.add((float(number % 2), 0.5 + 0.1 * (-1) ** number))
        equal.add((0.5, 0.5))
    assert luck.bets[-1].reach == LUCK_REACH
    assert equal.bets[-1].reach == 0.0


def test_a_gambler_who_has_seen_rare_losses_bets_less_than_one_who_has_seen_rare_wins() -> None:
    losses, wins = Gambler(0.03, (0.0,)), Gambler(0.03, (0.0,))
    for number in range(100):
        result = 0.0 if number % 20 == 7 else 0.55
        losses.add([result])
        wins.add([1 - result])
    assert losses.bets[-1].size < 0.8 * wins.bets[-1].size


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 1.01, -0.01])
def test_a_result_that_is_missing_infinite_or_beyond_its_limits_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="does not lie between"):
        compare([(0.5, 0.5), (wrong, 0.5)], Bounds())
    with pytest.raises(ValueError, match="does not lie between"):
        interval_of([(0.5, wrong * 100)])
    assert compare([(1.0, 1 + LUCK_REACH), (0.0, -LUCK_REACH)], Bounds()).points.deals == 2


# -- the interval


@pytest.mark.slow
def test_the_true_share_is_outside_the_interval_of_any_look_no_more_often_than_one_in_twenty() -> None:
    missed = 0
    for run in range(100):
        chance = random.Random(f"interval {run}")
        deals = twice(*(sum(chance.random() < 0.5 for _ in range(2)) / 2 for _ in range(160)))
        found = [interval_of(deals[:count]) for count in (10, 20, 40, 80, 160)]
        missed += any(not each.low <= 0.5 <= each.high for each in found)
    assert missed <= 9


def test_an_interval_of_few_deals_is_wide_and_equal_results_are_no_certainty() -> None:
    assert not interval_of(twice(1.0)).sure
    assert interval_of(twice(*[1.0] * 8)).sure
    assert (interval_of([]).low, interval_of([]).high) == (0.0, 1.0)
    assert not interval_of(twice(*[0.5] * MAX_DEALS)).sure


def test_a_share_is_within_its_interval_and_that_between_none_and_all_of_the_points() -> None:
    for deals in ([(1.0, 1.7)] * 30, [(0.0, -0.7)] * 30, [(0.0, 0.5), (1.0, 1.2)] * 20):
        found = interval_of(deals)
        assert 0 <= found.low <= found.share <= found.high <= 1


def test_the_interval_excludes_a_claim_only_if_the_test_has_refuted_it() -> None:
    chance = random.Random(0)
    found = compare([(float(chance.random() < 0.9),) * 2 for _ in range(100)], Bounds(0, 50))
    assert found.test.verdict == "accepted"
    refuted = math.prod(bet.factor(found.points.low) for bet in found.test.bets.high.bets)
    assert refuted == pytest.approx(2 * LIMIT, rel=1e-3)


# -- the test


@pytest.mark.parametrize(("mean", "verdict"), [(0.6, "accepted"), (0.4, "rejected")])
def test_the_deal_that_reaches_the_limit_decides_and_later_ones_are_not_counted(mean: float, verdict: str) -> None:
    deals = twice(*[mean - 0.3, mean + 0.3] * 200)
    found = compare(deals, Bounds(0, 50))
    assert found.test.verdict == verdict
    assert found.points.deals == len(found.test.path) < len(deals)
    assert max(found.test.path[-1]) >= LIMIT
    assert all(max(evidence) < LIMIT for evidence in found.test.path[:-1])
    again = compare(deals[: found.points.deals], Bounds(0, 50))
    assert again.plain() == found.plain()


def test_a_comparison_between_two_claims_ends_at_its_limit_without_a_verdict() -> None:
    deals = twice(*[expected_share(10) - 0.5, expected_share(10) + 0.48] * (MAX_DEALS // 2))
    assert compare(deals[:-1], Bounds(0, 20)).test.verdict is None
    assert compare(deals, Bounds(0, 20)).test.verdict == "undecided"


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ["plates", "unchanged", "rare cost", "rare gain", "tail left", "tail right"])
def test_wrong_verdicts_come_no_more_often_than_one_in_twenty_whatever_the_form_of_the_results(name: str) -> None:
    runs = 100
    for bounds, elo, wrong in ((Bounds(0, 50), 50, "rejected"), (Bounds(-50, 0), -50, "accepted")):
        present, _ = simulate(bounds, elo, name, runs, MAX_DEALS, former=False)
        assert not is_too_often(present.rate(wrong), runs)


def test_the_former_rule_was_wrong_more_often_for_a_bot_with_one_rare_change() -> None:
    present, former = simulate(Bounds(-20, 0), -20, "unchanged", 200, MAX_DEALS)
    assert is_too_often(former.rate("accepted"), 200)
    assert not is_too_often(present.rate("accepted"), 200)


def test_the_promise_needs_independent_deals() -> None:
    present, _ = simulate(Bounds(0, 50), 0, next(reversed(BROKEN)), 100, MAX_DEALS, former=False)
    assert is_too_often(present.rate("accepted"), 100)


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
