"""Which steps have work, asked in one query.

The director asks every few seconds, mostly for nothing. Django takes several times as long to write these queries as
PostgreSQL to answer them, so their text is written once in each process, and gets the present time whenever it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from games.common import clock
from tournaments.seasons.stream import continuous_formats

Rows = Callable[[], QuerySet[Any]]
# The text is written at both times. What differs is the present.
ONE_TIME, OTHER_TIME = (datetime(2000 + year, 1, 1, tzinfo=UTC) for year in (1, 2))
PRESENT = object()  # in the parameters of a query: the present time


def with_rows(queries: Sequence[Rows]) -> set[Rows]:
    """Return those of `queries` that find rows now. A query may depend on the present time and on the installed
    formats, else on nothing that changes in a process."""
    text, parameters = _written(tuple(queries), tuple(continuous_formats()))
    now = clock.now()
    with connection.cursor() as cursor:
        cursor.execute(text, [now if parameter is PRESENT else parameter for parameter in parameters])
        return {rows for rows, found in zip(queries, cursor.fetchone(), strict=True) if found}


@cache
def _written(queries: Sequence[Rows], _formats: Sequence[str]) -> tuple[str, list[Any]]:
    """Return one query with a column for each of `queries`, and its parameters."""
    (text, some), (same_text, others) = (_at(moment, queries) for moment in (ONE_TIME, OTHER_TIME))
    assert text == same_text
    for one, other in zip(some, others, strict=True):  # values of JSON are equal to nothing
        assert (one, other) == (ONE_TIME, OTHER_TIME) or repr(one) == repr(other)
    return text, [PRESENT if one == ONE_TIME else one for one in some]


def _at(moment: datetime, queries: Sequence[Rows]) -> tuple[str, list[Any]]:
    with clock.frozen_at(moment):
        asked = [rows().query.exists().get_compiler(connection=connection).as_sql() for rows in queries]
    columns = ", ".join(f"EXISTS ({text})" for text, _parameters in asked)
    return f"SELECT {columns}", [parameter for _text, parameters in asked for parameter in parameters]
