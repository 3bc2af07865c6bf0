"""Which cases of a test run by default, and which with `--all` only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.parameters import leave_the_rest_to_all


class Case:
    """What `leave_the_rest_to_all` asks of a case, and the marks that it has."""

    def __init__(self, name: str, **marks: int | bool) -> None:
        self.path, self.nodeid = Path("test_cards.py"), f"test_cards.py::{name}"
        self.marks = {mark: getattr(pytest.mark, mark)(value).mark for mark, value in marks.items()}

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks[mark.name] = mark.mark


def by_default(cases: list[Any]) -> list[str]:
    leave_the_rest_to_all(cases)
    return [case.nodeid.partition("::")[2] for case in cases if not case.get_closest_marker("slow")]


@pytest.mark.parametrize(
    ("count", "kept"), [(1, ["a"]), (2, ["a", "e"]), (3, ["a", "c", "e"]), (5, [*"abcde"]), (9, [*"abcde"])]
)
def test_some_cases_of_a_test_run_by_default_and_are_spread_evenly(count: int, kept: list[str]) -> None:
    assert by_default([Case(f"test_deal[{name}]", some=count) for name in "abcde"]) == [
        f"test_deal[{name}]" for name in kept
    ]


def test_each_test_keeps_cases_of_its_own_and_those_that_are_slow_anyway_are_not_counted() -> None:
    deals = [Case("test_deal[a]", some=1, slow=True), Case("test_deal[b]", some=1), Case("test_deal[c]", some=1)]
    draws = [Case("test_draw[a]", some=1), Case("test_draw[b]", some=1), Case("test_flip[a]"), Case("test_flip[b]")]
    assert by_default([*deals, *draws]) == ["test_deal[b]", "test_draw[a]", "test_flip[a]", "test_flip[b]"]
