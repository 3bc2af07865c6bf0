"""Inserts many rows by COPY. It does what `bulk_create` does, in about half the time if rows are wide."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.sql import SQL, Composed, Identifier

PLAIN: Final = frozenset({bool, datetime, int, str, type(None)})  # types of values that no column but JSON changes
_IDS: Final = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"


def copy_new(rows: Sequence[models.Model]) -> None:
    """Store new rows of one model, whose key is `id`, all or none, and set their ids. Sends no signals."""
    if not rows:
        return
    connection = connections[DEFAULT_DB_ALIAS]  # looked up once, and not for each value
    meta = rows[0]._meta
    fields = meta.concrete_fields
    table = Identifier(meta.db_table)
    names = Composed([Identifier(str(field.column)) for field in fields]).join(", ")
    with transaction.atomic(), connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(_IDS, [table.as_string(cursor), len(rows)])
        for row, (key,) in zip(rows, cursor.fetchall(), strict=True):
            row.pk = key
        with cursor.copy(SQL("COPY {} ({}) FROM STDIN").format(table, names)) as copy:
            for row in rows:
                copy.write_row([_prepared(field, field.pre_save(row, add=True), connection) for field in fields])
    for row in rows:
        row._state.adding = False
        row._state.db = connection.alias


def _prepared(field: models.Field[Any, Any], value: Any, connection: BaseDatabaseWrapper) -> Any:
    """Return a value as psycopg takes it. Most are so already, and Django's way takes eight calls to find that out."""
    if type(value) in PLAIN and not isinstance(field, models.JSONField):
        return value
    return field.get_db_prep_save(value, connection)
