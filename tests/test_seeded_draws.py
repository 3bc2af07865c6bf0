"""The cards of a test are the same whenever it runs, and no two tests have the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

from devkit.tests import SEED
from games.models import Deal, new_salt, new_seed
from tests.fixtures import seeded_draws


def drawn(name: str) -> list[bytes]:
    with seeded_draws.of(name):
        return [bytes(Deal().seed), new_seed(), new_salt()]


def test_a_name_has_its_own_lots_and_the_same_each_time() -> None:
    assert drawn("one") == drawn("one")
    assert not {*drawn("one")} & {*drawn("two")}
    assert len({*drawn("one")}) == 3


def test_what_is_drawn_for_a_world_changes_nothing_of_what_the_test_draws() -> None:
    with seeded_draws.of("a test"):
        alone = [new_seed(), new_seed()]
    with seeded_draws.of("a test"):
        between = [new_seed(), drawn("a world"), new_seed()]
    assert alone == between[::2]


@pytest.fixture(scope="module")
def shared() -> bytes:
    return new_seed()


@pytest.mark.parametrize("turn", [1, 2])
def test_a_fixture_of_several_tests_has_lots_of_its_own(shared: bytes, turn: int) -> None:
    with seeded_draws.of(("tests/test_seeded_draws.py", "shared", 0)):
        assert new_seed() == shared != new_seed()


def test_a_test_draws_by_its_own_name(request: pytest.FixtureRequest) -> None:
    with seeded_draws.of(request.node.nodeid):
        expected = new_seed()
    assert new_seed() == expected


@pytest.mark.some(1)
@pytest.mark.parametrize(("seed", "same"), [("0", True), ("7", False)])
def test_another_run_may_draw_otherwise(seed: str, same: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SEED, seed)
    script = "from tests.fixtures import seeded_draws as it\nwith it.of('one'): print(it.SeededDraws().token_hex(4))"
    there = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seeded_draws, "SEED_OF_RUN", "0")
        with seeded_draws.of("one"):
            assert (seeded_draws.SeededDraws().token_hex(4) == there.strip()) == same


def test_a_run_that_fails_tells_its_seed() -> None:
    sentence: list[str] = []

    class Reporter:
        write_line = sentence.append

        def __init__(self, failed: int) -> None:
            self.failed = failed

        def getreports(self, outcome: str) -> list[str]:
            return ["one"] * self.failed if outcome == "failed" else []

    for failed in (0, 1):
        seeded_draws.pytest_terminal_summary(Reporter(failed))  # type: ignore[arg-type]
    assert sentence == [f"Draws were made with {SEED}={seeded_draws.SEED_OF_RUN}: with it they are the same again."]
