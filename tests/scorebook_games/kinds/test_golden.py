"""Golden playthroughs change only on purpose (tests/scorebook_games/kinds/playthrough.py says how)."""

from __future__ import annotations

import pytest

from scorebook_games.conformance.play import Table
from tests.scorebook_games.kinds.playthrough import (
    FOLDER,
    digests_of,
    first_difference,
    games,
    kept_digests,
    name_of,
    path_of,
    playthrough,
    readable,
    update,
)

MEANT = "If this is meant: run with --update-goldens, look at the diff."


@pytest.fixture(autouse=True, scope="module")
def updated_if_asked(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-goldens", default=False):
        update()


@pytest.mark.compiled
@pytest.mark.parametrize("table", games(), ids=str)
def test_a_golden_playthrough_is_as_it_was(table: Table) -> None:
    text = playthrough(table)
    if table in readable():
        assert path_of(table).read_text(encoding="utf-8") == text, MEANT
    else:
        assert not (difference := first_difference(text, kept_digests()[name_of(table)])), f"{difference}\n{MEANT}"


def test_a_game_that_differs_is_shown_from_its_first_node_that_does() -> None:
    kept = digests_of("a game\n\n== start\nevent 1\n\n== seat 0: play\nevent 2")
    assert first_difference("a game\n\n== start\nevent 1\n\n== seat 0: play\nevent 2", kept) == ""
    other = first_difference("a game\n\n== start\nevent 9\n\n== seat 0: pass\nevent 8", kept)
    assert other == "Node 1 of 3 is the first that differs. Now it is:\nstart\nevent 9"
    assert first_difference("a game\n\n== start\nevent 1", kept) == "The game ends after 2 nodes, and had 3."


def test_no_golden_is_left_over() -> None:
    assert sorted(FOLDER.glob("*.txt")) == sorted([*map(path_of, readable()), FOLDER / "digests.txt"])
    assert sorted(kept_digests()) == sorted(name_of(table) for table in games() if table not in readable())
