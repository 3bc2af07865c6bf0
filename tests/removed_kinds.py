"""Kinds whose packages are removed while a test runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scorebook_games.registry import KINDS


@contextmanager
def removed_kinds(*names: str) -> Iterator[None]:
    """Remove these kinds from the registry, and put them back in their order."""
    kinds = dict(KINDS)
    try:
        for name in names:
            del KINDS[name]
        yield
    finally:
        KINDS.clear()
        KINDS.update(kinds)
