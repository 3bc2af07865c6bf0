"""Golden playthroughs change only on purpose (tests/scorebook_games/kinds/playthrough.py says how)."""

from __future__ import annotations

import pytest

from scorebook_games.conformance.play import Table
from tests.scorebook_games.kinds.playthrough import FOLDER, games, path_of, playthrough

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("table", games(), ids=str)
def test_a_golden_playthrough_is_as_it_was(table: Table, request: pytest.FixtureRequest) -> None:
    text = playthrough(table)
    path = path_of(table)
    if request.config.getoption("--update-goldens", default=False):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "If this is meant: run with --update-goldens, look at the diff."


def test_no_golden_is_left_over() -> None:
    assert sorted(FOLDER.glob("*.txt")) == sorted(path_of(table) for table in games())
