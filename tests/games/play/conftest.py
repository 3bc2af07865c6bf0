"""After each test of play, the rows of all games agree with their logs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.play.game_rows import game_batches, read_games, row_differences

DATABASE = {"db", "transactional_db"}


@pytest.fixture(autouse=True)
def rows_are_those_of_the_logs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare rows and logs after each test that uses the database and writes no rows directly."""
    used = set() if request.node.get_closest_marker("rows_by_hand") else DATABASE & set(request.fixturenames)
    for name in used:
        request.getfixturevalue(name)  # so that it ends later than this one
    yield
    if used:
        games = [read for ids in game_batches() for read in read_games(ids)]
        assert [read.error for read in games if read.error and not read.kind_is_missing] == []
        assert [found for read in games for found in row_differences(read)] == []
