"""Who gets which tests when several processes share them."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.shares import Shares

TESTS = [
    *(f"tests/games/test_log.py::test_{number}" for number in range(9)),
    *(f"tests/tournaments/test_swiss.py::test_{number}" for number in range(3)),
    *(f"tests/config/test_logs.py::test_{number}" for number in range(4)),
    *(f"tests/browser/test_lobby.py::test_{number}" for number in range(3)),
    *(f"tests/browser/test_whole_games.py::test_{number}" for number in range(20)),
]


@dataclass(eq=False)
class Process:
    """Does what it is sent, in that order."""

    sent: list[str] = field(default_factory=list)
    done: int = 0
    shutting_down: bool = False
    gateway: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(id="gw"))

    def send_runtest_some(self, numbers: list[int]) -> None:
        assert not self.shutting_down
        self.sent += [TESTS[number] for number in numbers]

    def shutdown(self) -> None:
        self.shutting_down = True

    @property
    def files(self) -> list[str]:
        """Of the tests that it was sent, in that order."""
        return [test.split("/")[-1].partition(".py")[0] for test in self.sent]


def run(tests: list[str], number: int) -> list[Process]:
    """So many processes, after they have taken turns until no test was left."""
    options = SimpleNamespace(tx=["popen"] * number, loadscopereorder=False)
    config = SimpleNamespace(option=options, getvalue=lambda name: getattr(options, name))
    shares = Shares(cast(Any, config))
    processes = [Process() for _ in range(number)]
    for each in cast(Any, processes):
        shares.add_node(each)
    for each in cast(Any, processes):
        shares.add_node_collection(each, tests)
    shares.schedule()
    while shares.has_pending:
        for each in processes:
            if each.done < len(each.sent):
                each.done += 1
                shares.mark_test_complete(cast(Any, each), TESTS.index(each.sent[each.done - 1]))
    return processes


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_every_test_is_run_once_and_then_all_processes_are_told_that_there_is_no_more(number: int) -> None:
    processes = run(TESTS, number)
    assert sorted(test for each in processes for test in each.sent) == sorted(TESTS)
    assert all(each.shutting_down for each in processes)


def test_a_file_is_one_processs_but_for_the_longest_ones_in_a_browser() -> None:
    processes = run(TESTS, 3)
    for file in ("test_log", "test_swiss", "test_logs", "test_lobby"):
        assert sum(file in each.files for each in processes) == 1
    assert sum("test_whole_games" in each.files for each in processes) > 1


@pytest.mark.parametrize("number", [2, 3, 4])
def test_the_first_begins_in_a_browser_with_what_is_long_and_nobody_comes_back_from_there(number: int) -> None:
    processes = run(TESTS, number)
    assert processes[0].files[0] == "test_whole_games"
    for each in processes:
        in_browser = [file in ("test_lobby", "test_whole_games") for file in each.files]
        assert in_browser == sorted(in_browser)


def test_without_tests_in_a_browser_the_first_has_its_share_of_the_others() -> None:
    assert all(each.sent for each in run(TESTS[:16], 3))
