"""Does one version beat another: an interval that holds at every look."""

from __future__ import annotations

import random

from games.bots.comparison import MAX_DEALS, MIN_DEALS, means, result_so_far
from games.models import Game


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


def test_the_second_game_of_a_deal_is_looked_at_from_the_other_seat() -> None:
    def game(part: str, *placings: int) -> Game:
        return Game(part=part, status="finished", outcome={"placings": list(placings)})

    assert means([game("0000", 1, 2), game("0000", 2, 1)]) == [1.0]
    assert means([game("0000", 1, 2), game("0000", 1, 2)]) == [0.5]
    assert means([game("0000", 1, 1), game("0000", 1, 2), game("0001", 1, 2)]) == [0.25]
