"""What is long in the making and wanted by many transactional tests: made once, kept aside, put back for each.

The rows lie in a schema of their own beside the tests' tables, which a flush does not touch, and only a process that
has made them itself takes them from there.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection, transaction
from psycopg import sql

SAME_FOR_ALL = {"django_content_type", "auth_permission"}  # rows that migrating makes, and no test changes
OF_PROCESSES = {"allowance", "games_lifesign"}  # what a web process writes by itself, at any time
MADE: dict[str, list[str]] = {}  # what this process has made → the tables that hold any of it


def remembered(name: str, make: Callable[[], object]) -> None:
    """Let the database, which must be empty, hold what `make` writes: the first time by calling it, then by its rows.

    They keep their ids. Sequences only ever go on, so what a test adds gets other ones.
    """
    held = [table for table in tables() if not is_empty(table)]
    assert held == [], f"There are rows already, which would be kept as well: {held}"
    if name in MADE:
        put_back(name)
    else:
        make()
        keep(name)


def tables() -> list[str]:
    """The tables of all models whose rows a test makes."""
    every = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return sorted(set(every) - SAME_FOR_ALL - OF_PROCESSES)


def is_empty(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(table)))
        (found,) = cursor.fetchone()
    return not found


def keep(name: str) -> None:
    filled = [table for table in tables() if not is_empty(table)]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(schema(name)))
        cursor.execute(sql.SQL("CREATE SCHEMA {}").format(schema(name)))
        for table in filled:
            cursor.execute(sql.SQL("CREATE TABLE {} AS TABLE {}").format(copy(name, table), sql.Identifier(table)))
    MADE[name] = filled


def put_back(name: str) -> None:
    """In one transaction: keys to other tables are looked at when it ends."""
    with transaction.atomic(), connection.cursor() as cursor:
        for table in MADE[name]:
            cursor.execute(sql.SQL("INSERT INTO {} TABLE {}").format(sql.Identifier(table), copy(name, table)))


def schema(name: str) -> sql.Identifier:
    return sql.Identifier(f"remembered {name}")


def copy(name: str, table: str) -> sql.Identifier:
    return sql.Identifier(f"remembered {name}", table)
