"""Imports of damaged lists of entrants and tables of results: a small, fixed sample of what `python -m
tests.fuzz.tables` imports."""

from __future__ import annotations

import pytest

from tests.fuzz.imports import Imports
from tournaments.importexport import entrants

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("files", [10, pytest.param(60, marks=pytest.mark.slow)])
def test_whatever_is_done_to_a_table_is_told_refused_or_made_whole(files: int) -> None:
    imports = Imports()
    assert [found for number in range(files) if (found := imports.ask(number))] == []
    assert set(imports.counts) == {"refused", "told what is wrong", "made"}
    assert min(imports.counts.values()) > files / 20


def test_a_file_that_breaks_something_is_found_with_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Imports` reports an unexpected error with the number of the file, which makes the test above able to fail."""

    def broken(text: str, most: int = 0) -> entrants.EntrantFile:
        raise ZeroDivisionError("no columns")

    monkeypatch.setattr(entrants, "read_entrants", broken)
    assert Imports().ask(7).startswith("file 7, results")
