"""What the command `scorebook-bot` says of a series that has not decided."""

from __future__ import annotations

import pytest

from scorebook_games.analysis.comparison import MIN_TEST_DEALS, Bounds, compare
from scorebook_games.cli import words


@pytest.mark.parametrize(
    ("deals", "advice"),
    [
        (MIN_TEST_DEALS - 1, f"Play at least {MIN_TEST_DEALS} deals, or leave out --games."),
        (MIN_TEST_DEALS, "Play more deals, or leave out --games."),
    ],
)
def test_who_has_no_verdict_hears_how_many_deals_to_play(deals: int, advice: str) -> None:
    means = [0.0, 1.0] * deals
    said = words.answer("mine.py", "sensible", compare(means[:deals], Bounds(0, 20)))
    assert said == f"Not decided yet: better by 0 or by +20 Elo. {advice}"
