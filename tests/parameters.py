"""Parameters of tests of which only some run by default."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def mostly_slow(values: Iterable[Any], by_default: Collection[Any]) -> list[Any]:
    """Return `values` as parameters of one argument. Those that are not in `by_default` run with `--all` only."""
    return [each if each in by_default else pytest.param(each, marks=pytest.mark.slow) for each in values]
