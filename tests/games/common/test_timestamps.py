"""Times are read from the database as psycopg reads them, by a parser that is faster."""

from __future__ import annotations

from datetime import UTC, datetime

import psycopg
import pytest
from django.db import DataError, connection

from games.common.timestamps import TimestampLoader

pytestmark = pytest.mark.django_db
WRITTEN = (
    "2026-11-30 09:36:18.123456+00",
    "2026-11-30 09:36:18.1+00",
    "2026-11-30 09:36:18+00",
    "0001-01-01 00:00:00+00",
    "9999-12-31 23:59:59.999999+00",
    "2026-07-01 12:00:00+02",
)


@pytest.mark.parametrize("written", WRITTEN)
def test_a_time_is_what_psycopg_makes_of_it_in_utc(written: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [written])
        [found] = cursor.fetchone()
        loader = connection.connection.adapters.get_loader(psycopg.adapters.types["timestamptz"].oid, 0)
    assert loader is TimestampLoader
    assert found == datetime.fromisoformat(written)
    assert found.tzinfo is UTC


def test_what_is_no_time_for_python_is_refused_as_by_psycopg() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'infinity'::timestamptz")
        with pytest.raises(DataError, match="infinity"):
            cursor.fetchone()
