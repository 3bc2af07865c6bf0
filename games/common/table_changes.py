"""Which tables have changed: triggers note each change of a table of which pages are made.

A note is a row of its own and locks nothing, so writers never wait for one another. The version of some tables is the
number and the sum of their notes. A sum also changes when a transaction commits that noted something before others did.
Only tables that change seldom are noted. What follows from a stream has the stream's version.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.db import connection
from django.db.migrations import RunSQL

from games.common import clock
from games.common.models import TableChange

EVERYTHING: Final = "*"  # instead of a table's name
NAME_TABLES: Final = ("auth_user", "games_player", "games_bot", "games_botversion")  # what players are called
CHANGE_RETENTION: Final = timedelta(days=2)


def tables_version(*tables: str) -> tuple[int, int]:
    """Return a version of these tables, which is another one after each change. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), coalesce(sum(id), 0)::bigint FROM common_tablechange WHERE name = ANY(%s)",
            [[*tables, EVERYTHING]],
        )
        count, total = cursor.fetchone()
    return count, total


def note_repair() -> None:
    """Note that rows of any table may have been mended, as if all tables had changed."""
    TableChange.objects.create(name=EVERYTHING)


def delete_old_changes() -> int:
    """Delete old notes; return how many. Pages are rendered once more."""
    return TableChange.objects.filter(at__lt=clock.now() - CHANGE_RETENTION).delete()[0]


def noted(table: str, columns: Sequence[str] = ()) -> RunSQL:
    """Return the operation of a migration by which changes of `table` are noted; with `columns`, only other values in
    these columns, and deletions."""
    events = "DELETE" if columns else "INSERT OR DELETE"
    named = ", ".join(f"'{name}'" for name in columns)
    return RunSQL(
        f"CREATE TRIGGER {table}_row_is_noted AFTER UPDATE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION note_change_of_table({named});"
        f"CREATE TRIGGER {table}_is_noted AFTER {events} ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION note_change_of_table();",
        f"DROP TRIGGER {table}_is_noted ON {table}; DROP TRIGGER {table}_row_is_noted ON {table};",
    )
