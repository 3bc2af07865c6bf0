"""Queries that Django composes once. Composing takes up to 6 ms for one with many conditions, mostly more than
PostgreSQL needs for it.

    @prepared
    def seats_of(*, games: list[int]) -> QuerySet[Seat]:
        return Seat.objects.filter(game__in=games).select_related("player")

Keyword arguments are values: whole numbers, texts, times, or lists of numbers or texts for `__in`. They stand in
conditions only, as they are: not in limits, and not as parts of a text. What `clock.now` returns is a value too, and a
time may be moved (`clock.now() - HOUR`). Positional arguments decide the form of the statement, which is composed and
kept for each of them. Nothing else may decide it, such as the reader's language or zone. What is prefetched is Django's
own query each time, so that it must not depend on the time.

What is returned is a queryset that can be read, counted, or asked whether it `exists`. It cannot be changed any more.
Values must fit their columns: Django would find nothing for a number that is too large, and PostgreSQL refuses it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial, wraps
from operator import add
from types import MappingProxyType
from typing import Any, Final, ParamSpec, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet, Value

from games.common import clock

P = ParamSpec("P")
M = TypeVar("M", bound=Model)
R = TypeVar("R")

MAX_FORMS: Final = 50  # of one query that are kept
READ_OF_QUERY: Final = ("selected", "extra_select", "values_select", "annotation_select")  # by Django's iterables
NOW: Final = "now()"  # the name of the value that is the time
FIRST_NUMBERS: Final = (1_907_640_000, 31_170)  # the latter for small integers
MAX_TIME_MOVED: Final = timedelta(days=1000)  # from a value that is a time
FIRST_YEAR_OF_DATA: Final = 1900
UNCHANGEABLE: Final = "A prepared query cannot be changed. Write the condition into its function."
MARK_OF_NOW: Final = datetime(1007, 5, 7, 11, 13, 17, tzinfo=UTC)


def prepared(
    build: Callable[P, QuerySet[M, R]], may_lack: Mapping[Hashable, Collection[str]] = MappingProxyType({})
) -> Callable[P, QuerySet[M, R]]:
    """Compose the query that `build` returns once for each form. `may_lack` says for parts of a form which values
    its statements may lack; all others have every value."""
    known: dict[Hashable, Statement] = {}

    @wraps(build)
    def bound(*form: Any, **values: Any) -> QuerySet[M, R]:
        key = (form, *((name, _sort_of(value)) for name, value in values.items()))
        statement = known.get(key)
        if statement is None:
            if len(known) >= MAX_FORMS:
                known.clear()
            lacking = [name for part, names in may_lack.items() if part in form for name in names]
            statement = known[key] = compose(build, form, values, lacking)
        return statement.queryset(values)

    vars(bound)["forms"] = known
    return bound


@dataclass(frozen=True, slots=True)
class Statement:
    """A composed query, whose `template` is not read; with no `sql` one that finds nothing, because a list is empty.
    `places` has for each parameter the name of its value and what makes the parameter of it, or None and the parameter
    itself."""

    template: QuerySet[Any, Any]
    compiler: Any
    sql: str
    places: Sequence[tuple[str | None, Any]]

    def queryset(self, values: dict[str, Any]) -> QuerySet[Any, Any]:
        """Return a queryset that reads the rows for these values."""
        values = {NOW: clock.now(), **values}
        params = tuple(
            kind if name is None else values[name] if kind is None else kind(values[name]) for name, kind in self.places
        )
        source: Any = self.template
        if not self.sql:
            return self.template
        found: QuerySet[Any, Any] = type(source)(
            model=source.model, query=BoundQuery(self, params), using=DEFAULT_DB_ALIAS
        )
        _copy_reading(source, found)
        return found


def _copy_reading(source: Any, found: Any) -> None:
    """Let a queryset make the same objects of its rows as `source`."""
    found._iterable_class = source._iterable_class
    found._fields = source._fields
    found._prefetch_related_lookups = source._prefetch_related_lookups


class BoundQuery:
    """What a queryset needs of its query to read rows."""

    def __init__(self, statement: Statement, params: tuple[Any, ...]) -> None:
        self._statement = statement
        self._params = params

    def get_compiler(self, using: str | None = None, *_more: Any, **_named: Any) -> Any:
        """Return a compiler whose statement is known."""
        found = copy.copy(self._statement.compiler)
        found.connection = connections[using or DEFAULT_DB_ALIAS]
        found.as_sql = lambda: (self._statement.sql, self._params)
        return found

    def get_count(self, using: str) -> int:
        """Return the number of rows."""
        return int(self._ask(using, f"SELECT count(*) FROM ({self._statement.sql}) found"))  # noqa: S608  of Django

    def has_results(self, using: str) -> bool:
        """Return whether there is a row."""
        return bool(self._ask(using, f"SELECT EXISTS ({self._statement.sql})"))

    def _ask(self, using: str, sql: str) -> Any:
        with connections[using].cursor() as cursor:
            cursor.execute(sql, self._params)
            return cursor.fetchone()[0]

    def __getattr__(self, name: str) -> Any:
        if name in READ_OF_QUERY:
            return getattr(self._statement.template.query, name)
        raise TypeError(UNCHANGEABLE)


class GivenQuery:
    """The query of a queryset whose rows are given, which asks nothing."""

    def __getattr__(self, name: str) -> Any:
        raise TypeError(UNCHANGEABLE)


def compose(
    build: Callable[..., QuerySet[Any, Any]], form: tuple[Any, ...], values: dict[str, Any], may_lack: Iterable[str]
) -> Statement:
    """Compose a query with a mark instead of each value, and find the marks in its parameters. Raises ValueError if one
    is not there as it is."""
    filled = {name: value for name, value in values.items() if value != []}
    for first_number in FIRST_NUMBERS:
        marks = {name: _mark(index, value, first_number) for index, (name, value) in enumerate(filled.items())}
        asked = {name: [marks[name]] if type(value) is list else marks[name] for name, value in filled.items()}
        with clock.frozen_at(MARK_OF_NOW):
            template: Any = build(*form, **{**values, **asked})
            if template._known_related_objects:
                raise ValueError("Begin a prepared query with a model, not with the rows of an object.")
            compiler = template.query.get_compiler(DEFAULT_DB_ALIAS)
            with suppress(EmptyResultSet):  # for Django, no small integer is as large as the mark
                types = {name: type(value) for name, value in asked.items()}
                sql, params = compiler.as_sql()
                compiler.connection = None  # of this thread; each reader's copy gets its own
                marks = {**marks, NOW: MARK_OF_NOW}
                return _statement(template, compiler, sql, params, marks, types, {NOW, *may_lack})
    template._result_cache = []
    return Statement(template, None, "", ())


def _statement(
    template: Any,
    compiler: Any,
    sql: str,
    params: Sequence[Any],
    marks: dict[str, Any],
    types: dict[str, type],
    may_be_missing: Collection[str],
) -> Statement:
    pieces, places = sql.split("%s"), list[tuple[str | None, Any]]()
    for index, param in enumerate(params):
        name = next((name for name, mark in marks.items() if _is_made_of(param, mark)), None)
        if name is None:
            places.append((None, param))
        elif types.get(name) is list:
            if not pieces[index].endswith(" IN (") or not pieces[index + 1].startswith(")"):
                raise ValueError(f"The list {name} is possible with __in only.")
            pieces[index] = f"{pieces[index].removesuffix(' IN (')} = ANY("
            places.append((name, None))
        elif isinstance(param, datetime):
            places.append((name, partial(add, param - marks[name])))
        else:
            places.append((name, None if type(param) is types.get(name) else type(param)))
    if any(isinstance(param, date) and param.year < FIRST_YEAR_OF_DATA for name, param in places if name is None):
        raise ValueError("A date that is made of a time would be kept. Give it as a value.")
    left = " ".join([*pieces, *(str(param) for name, param in places if name is None)])
    for name, mark in marks.items():
        missing = name not in may_be_missing and all(name != found for found, _kind in places)
        if missing or str(mark) in left:
            raise ValueError(f"The value {name} is no parameter of the statement.")
    return Statement(template, compiler, "%s".join(pieces), tuple(places))


def _sort_of(value: Any) -> Hashable:
    """Return what must be alike for two values to have one statement."""
    if type(value) is list:
        return list, (type(value[0]) if value else None)
    return (type(value),)


def _is_made_of(param: Any, mark: Any) -> bool:
    if isinstance(param, datetime) and isinstance(mark, datetime):
        return abs(param - mark) < MAX_TIME_MOVED
    return isinstance(param, type(mark)) and bool(param == mark)


def _mark(index: int, value: Any, first_number: int) -> Any:
    """Return a value of the same type that no statement has by itself."""
    kind = type(value[0]) if type(value) is list else type(value)
    if kind is int:
        return first_number + index
    if kind is datetime:
        return MARK_OF_NOW.replace(year=MARK_OF_NOW.year + 10 * (index + 1))
    if issubclass(kind, str):
        return f"~^{index}^~"  # which looks the same in lists, in JSON and in upper case
    raise ValueError(f"A value of the type {kind.__name__} cannot stand in a prepared query.")


def in_all(rows: QuerySet[M, Any], **counts: Any) -> QuerySet[M, dict[str, Any]]:
    """Return a queryset with one row, the aggregates `counts` over all `rows`; it may be empty if there are none."""
    found: Any = rows.order_by().annotate(_all=Value(1)).values("_all")
    counted: QuerySet[M, dict[str, Any]] = found.annotate(**counts).values(*counts)
    return counted


def first_row(rows: QuerySet[M, R]) -> R | None:
    """Return the first row of a prepared query, whose function limits it to one."""
    return next(iter(rows), None)


def attach(rows: Sequence[Model], name: str, related: Iterable[Model], field: str) -> None:
    """Give rows the related rows of `name`, as `prefetch_related` does, but only to be read all. `field` is the related
    rows' key to them."""
    of_row: dict[Any, list[Model]] = {row.pk: [] for row in rows}
    by_key = {row.pk: row for row in rows}
    model = None
    for each in related:
        model, key = type(each), getattr(each, f"{field}_id")
        each._state.fields_cache[field] = by_key[key]  # as Django does
        of_row[key].append(each)
    for row in rows:
        found: Any = QuerySet(model, query=GivenQuery())  # type: ignore[arg-type]
        found._result_cache, found._prefetch_done = of_row[row.pk], True
        vars(row).setdefault("_prefetched_objects_cache", {})[name] = found
