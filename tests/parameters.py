"""Parameters of tests of which only some run by default."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

import pytest


def mostly_slow(values: Iterable[Any], by_default: Collection[Any]) -> list[Any]:
    """Return `values` as parameters of one argument. Those that are not in `by_default` run with `--all` only."""
    return [each if each in by_default else pytest.param(each, marks=pytest.mark.slow) for each in values]


def leave_the_rest_to_all(items: Iterable[pytest.Item]) -> None:
    """Mark cases of tests marked `some(count)` as slow, but for `count` of them, which are spread evenly."""
    cases: defaultdict[tuple[object, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("some") and not item.get_closest_marker("slow"):
            cases[item.path, item.nodeid.partition("[")[0]].append(item)
    for group in cases.values():
        mark = group[0].get_closest_marker("some")
        assert mark is not None
        (count,) = mark.args
        kept = {at * (len(group) - 1) // max(count - 1, 1) for at in range(count)}
        for at, item in enumerate(group):
            if at not in kept:
                item.add_marker(pytest.mark.slow)
