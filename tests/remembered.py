"""What is long in the making and wanted by many tests: made once a process, and put into the database by its rows.

`remembered(name, make)` does what `make()` does. The first time it calls it and takes down which rows came, went or
changed; from then on, where the database holds the same as it did before that first call, it writes these rows at once
and returns a copy of the same value. Where it holds anything else, `make` is called as if nothing were remembered: so
what a test finds never depends on the tests before it, nor on their order. A test takes back what is put in as it
takes back its own (its transaction, or the flush).

What `make` does must follow from its name and the rows that are there: it has its own clock, seeds and arguments, and
lots are drawn by its name (`tests/lots.py`). Rows keep their ids; sequences only ever go on, so what a test adds gets
other ones. Hooks for the commit are not called, and Django's cache is an empty one in memory.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache as once
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from weakref import WeakSet

from django.core.cache import cache
from django.db import connection, transaction
from django.test import override_settings

from tests import lots

T = TypeVar("T")
P = ParamSpec("P")
SAME_FOR_ALL = {"django_content_type", "auth_permission"}  # rows that migrations make and no test changes
OF_PROCESSES = {"common_ratebucket", "clocks_heartbeat"}  # rows that a web process may write at any time
IN_MEMORY = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "remembered"}}
Rows = Mapping[str, Mapping[str, str]]  # table → key → the row's values as SQL


@dataclass(frozen=True)
class Table:
    oid: int
    columns: list[str]  # quoted if necessary
    key: list[str]
    sequence: str | None  # of its ids


@dataclass(frozen=True, eq=False)
class Moment:
    """A state of the database that can be restored from the state before it by `statements`."""

    rows: Rows = field(default_factory=dict)
    statements: str = ""
    value: bytes = b""
    names: tuple[Hashable, ...] = ()
    then: dict[Hashable, Moment] = field(default_factory=dict)
    seen: set[Hashable] = field(default_factory=set)


EMPTY = Moment()
prepared: WeakSet[Any] = WeakSet()  # connections with the prepared statement for `filled`
present: list[tuple[Moment, tuple[int, int], list[Any]]] = []  # come to last; what `written` said; savepoints then


def remembered(name: Hashable, make: Callable[[], T], *, seldom: bool = False) -> T:
    """Return the value of `make()` with its rows, as described above. The value is pickled; rows of models can be. With
    `seldom`, the rows are stored only when they are made for the second time."""
    before = now()
    if before is None:
        return make()
    if seldom and name not in before.seen:
        before.seen.add(name)
        with apart(), lots.of((*before.names, name)):
            return make()
    if name not in before.then:
        names = (*before.names, name)
        with apart(), lots.of(names):
            value = make()
        rows = all_rows()
        before.then[name] = Moment(rows, difference(before.rows, rows), pickle.dumps(value), names)
    else:
        execute(before.then[name].statements)
    come_to(before.then[name])
    copy: T = pickle.loads(before.then[name].value)
    return copy


def world(make: Callable[P, T]) -> Callable[P, T]:
    """Remember this function by its name. A world may begin by calling another. Below `@pytest.fixture`, its arguments
    are fixtures; they must follow from the rows."""
    name = (make.__module__, make.__qualname__)

    @wraps(make)
    def again(*given: P.args, **named: P.kwargs) -> T:
        return remembered(name, lambda: make(*given, **named))

    return again


@contextmanager
def apart() -> Iterator[None]:
    """Run the block in a savepoint, and discard its commit hooks and its cache."""
    with override_settings(CACHES=IN_MEMORY), transaction.atomic():
        cache.clear()
        waiting = len(connection.run_on_commit)
        yield
        del connection.run_on_commit[waiting:]


def now() -> Moment | None:
    """Return the present moment; None if something else was written."""
    if present:
        moment, then, savepoints = present[0]
        if connection.in_atomic_block:
            same = connection.savepoint_ids[: len(savepoints)] == savepoints and written() == then
        else:
            same = all_rows() == moment.rows
        if same:
            return moment
    return EMPTY if not filled() else None


def come_to(moment: Moment) -> None:
    present[:] = [(moment, written(), list(connection.savepoint_ids))]


def written() -> tuple[int, int]:
    """Return (transaction, rows written in it). Only this test changes these numbers."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_current_xact_id()::text::bigint, sum(pg_stat_get_xact_tuples_inserted(each)"
            " + pg_stat_get_xact_tuples_updated(each) + pg_stat_get_xact_tuples_deleted(each))::bigint"
            " FROM unnest(%s::oid[]) AS each",
            [[table.oid for table in tables().values()]],
        )
        transaction_id, rows = cursor.fetchone()
    return transaction_id, rows


@once
def tables() -> dict[str, Table]:
    """Return the tables of all models whose rows a test makes."""
    every = connection.introspection.django_table_names(only_existing=True, include_views=False)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, oid::int, ARRAY(SELECT quote_ident(attname) FROM pg_attribute"
            " WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''),"
            " ARRAY(SELECT quote_ident(attname) FROM pg_index JOIN pg_attribute ON attrelid = indrelid"
            " AND attnum = ANY(indkey) WHERE indrelid = pg_class.oid AND indisprimary),"
            " to_regclass(quote_ident(relname || '_id_seq'))::text"
            " FROM pg_class WHERE oid = ANY(%s::regclass[]) ORDER BY relname",
            [sorted(set(every) - SAME_FOR_ALL - OF_PROCESSES)],
        )
        return {name: Table(*told) for name, *told in cursor.fetchall()}


def filled() -> list[str]:
    """Return the tables that hold rows. The query is prepared, because planning takes far longer than running it."""
    asked = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in tables())
    with connection.cursor() as cursor:
        if connection.connection not in prepared:
            cursor.execute(f"PREPARE filled_tables AS {asked}")
            prepared.add(connection.connection)
        cursor.execute("EXECUTE filled_tables")
        return [table for (table,) in cursor.fetchall()]


def all_rows() -> Rows:
    """Return all rows, in their order in the tables."""
    every: dict[str, dict[str, str]] = {}
    with connection.cursor() as cursor:
        for name in filled():
            key, values = values_of(tables()[name].key), values_of(tables()[name].columns)
            cursor.execute(f"SELECT {key}, {values} FROM {name} ORDER BY ctid")
            every[name] = dict(cursor.fetchall())
    return every


def values_of(columns: Sequence[str]) -> str:
    """Return SQL for a row's values in these columns, such as "'7', NULL, 'Martha'"."""
    return f"concat_ws(', ', {', '.join(f'quote_nullable({column}::text)' for column in columns)})"


def difference(before: Rows, after: Rows) -> str:
    """Return the statements that lead from one state to the other."""
    statements = []
    for name in {**before, **after}:
        old, new, table = before.get(name, {}), after.get(name, {}), tables()[name]
        if gone := old.keys() - new.keys():
            keys, named = (f"({key})" for key in gone), (f"{column}::text" for column in table.key)
            statements.append(f"DELETE FROM {name} WHERE ({', '.join(named)}) IN ({', '.join(keys)})")
        if come := {key: row for key, row in new.items() if old.get(key) != row}:
            rows = ", ".join(f"({row})" for row in come.values())
            statement = f"INSERT INTO {name} ({', '.join(table.columns)}) VALUES {rows}"
            if come.keys() & old.keys():
                changed = ", ".join(f"{column} = EXCLUDED.{column}" for column in table.columns)
                statement += f" ON CONFLICT ({', '.join(table.key)}) DO UPDATE SET {changed}"
            statements.append(statement)
            if table.sequence and table.key == ["id"]:  # a server that crashed may have lost the sequence's position
                last = max(int(key.strip("'")) for key in come)
                statements.append(
                    f"SELECT setval('{table.sequence}', {last}) FROM {table.sequence} WHERE last_value < {last}"
                )
    return "; ".join(statements)


def execute(statements: str) -> None:
    """Run statements in one transaction, at whose end foreign keys are checked."""
    if statements:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statements)
