"""A disk that is full, as PostgreSQL tells of it: SQLSTATE 53100, for whoever writes into certain tables.

The error comes from the server and travels as a real one does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

_REFUSES: Final = """
    CREATE OR REPLACE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file "base/16384/16999": No space left on device'
            USING ERRCODE = 'disk_full', HINT = 'Check free disk space.';
    END $$
"""


@contextmanager
def full(*tables: str) -> Iterator[None]:
    """Refuse writes to these tables within the block."""
    with connection.cursor() as cursor:
        cursor.execute(_REFUSES)
        for table in tables:
            cursor.execute(
                f"CREATE TRIGGER disk_is_full BEFORE INSERT OR UPDATE ON {table}"
                " FOR EACH ROW EXECUTE FUNCTION disk_is_full()"
            )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION disk_is_full CASCADE")
