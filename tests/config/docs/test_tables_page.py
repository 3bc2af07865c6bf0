"""docs/reference/tables.md describes every table of the database."""

from __future__ import annotations

import pytest
from django.db import connection

from config.docs import tables_page
from games.lobby.models import Chair
from tournaments.seasons.models import Bye


@pytest.mark.django_db
def test_every_table_of_the_database_is_named() -> None:
    tables = connection.introspection.table_names()
    assert "seasons_bye" in tables
    assert [table for table in tables if table not in tables_page.sources() and not tables_page.is_foreign(table)] == []


def test_a_model_without_a_source_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Chair, "table_source")
    with pytest.raises(LookupError, match=r"Chair says nowhere what its rows are"):
        tables_page.text()


def test_a_source_that_names_a_missing_column_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Bye.table_source.primary, "colour", "nobody knows")
    with pytest.raises(LookupError, match=r"Bye has no column colour"):
        tables_page.text()
