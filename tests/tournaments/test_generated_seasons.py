"""Which seasons the benchmarks' database gets, at sizes that take minutes and not hours."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.bench.generate import wishes


@pytest.mark.slow
def test_there_is_a_finished_season_of_bots_beside_a_large_season_that_has_all_games() -> None:
    large, *others = wishes(17_500, 2_000, datetime(2026, 11, 1, tzinfo=UTC))
    assert large.games >= 17_500
    assert [(one.bots, one.closed) for one in others] == [(True, True)]
