"""Does one bot beat another: an interval that holds at every look."""

from __future__ import annotations

import random

import pytest

from scorebook_games.analysis.comparison import MAX_DEALS, MIN_DEALS, points_share, result_so_far


def coverage(share: float, runs: int = 200) -> tuple[int, int]:
    """In how many of `runs` comparisons the true share was ever outside the interval, and how many were sure."""
    missed = sure = 0
    for run in range(runs):
        chance = random.Random(f"{share} {run}")
        deals: list[float] = []
        out = False
        while len(deals) < MAX_DEALS:
            deals += [sum(chance.random() < share for _ in range(2)) / 2 for _ in range(8)]
            found = result_so_far(deals)
            out = out or (found.deals >= MIN_DEALS and not found.low <= share <= found.high)
            if found.sure:
                sure += 1
                break
        missed += out
    return missed, sure


def test_two_that_are_level_are_taken_for_different_no_more_often_than_one_in_twenty() -> None:
    missed, sure = coverage(0.5)
    assert missed <= 14
    assert sure <= 14


def test_a_clear_difference_is_found_before_the_deals_are_all_played() -> None:
    assert coverage(0.75)[1] >= 190
    assert coverage(0.65)[1] >= 100


def test_nothing_is_said_of_a_few_deals_and_equal_results_are_no_certainty() -> None:
    assert not result_so_far([1.0] * (MIN_DEALS - 1)).sure
    assert result_so_far([1.0] * MIN_DEALS).sure
    assert (result_so_far([]).low, result_so_far([]).high) == (0.0, 1.0)
    assert not result_so_far([0.5] * MAX_DEALS).sure


def test_no_more_deals_are_needed_when_it_is_certain_or_all_are_played() -> None:
    assert result_so_far([1.0] * MIN_DEALS).finished
    assert result_so_far([0.5] * MAX_DEALS).finished
    assert not result_so_far([0.5] * (MAX_DEALS - 1)).finished


@pytest.mark.parametrize(
    ("placings", "shares"),
    [((1, 2), [1, 0]), ((1, 1), [0.5, 0.5]), ((2, 1, 2), [0.25, 1, 0.25]), ((1, 3, 2, 4), [1, 1 / 3, 2 / 3, 0])],
)
def test_points_are_the_share_of_the_others_that_a_seat_came_in_before(
    placings: tuple[int, ...], shares: list[float]
) -> None:
    assert [points_share(placings, seat) for seat in range(len(placings))] == pytest.approx(shares)
