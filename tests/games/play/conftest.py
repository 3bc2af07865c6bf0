"""After each test of play, the rows of all games agree with their logs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.play.game_rows import stored_differences

DATABASE = {"db", "transactional_db"}


@pytest.fixture(autouse=True)
def rows_are_those_of_the_logs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare rows and logs after each test that uses the database and writes no rows directly."""
    used = set() if request.node.get_closest_marker("rows_by_hand") else DATABASE & set(request.fixturenames)
    for name in used:
        request.getfixturevalue(name)  # so that it ends later than this one
    yield
    if used:
        assert list(stored_differences(write=False, progress=lambda _: None, unreadable=lambda *_: "unreadable")) == []
