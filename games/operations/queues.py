"""What waits for workers, and for how long: messages of the queue, and due work in the database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

from django.db import connection
from django.db.models import Count, Min, Q, QuerySet, Value
from django.utils.translation import gettext_lazy
from psycopg import sql

from games.accounts.mail import NOTICE_MAILS
from games.common import clock
from games.common.prepared import prepared
from games.models import GOING, Game, Trial
from games.workers import leases
from scorebook_games.registry import KINDS


@dataclass(frozen=True)
class Queue:
    """A queue: the number of waiting items, and the age of the oldest in seconds.

    The messages of the broker only wake workers up.
    """

    name: str
    label: str
    place: Annotated[str, "messages: in the broker; due: work found in the database."]
    waiting: int
    oldest: float | None


#: By name: the label, what returns the rows, and the field of the time since when each waits.
Due = Mapping[str, tuple[Any, Callable[[], QuerySet[Any]], str]]


def messages() -> list[Queue]:
    """Return the queues of the broker if that is PostgreSQL itself; none for another broker."""
    with connection.cursor() as cursor:
        cursor.execute(_NAMES)
        names = [name for (name,) in cursor.fetchall()]
        if not names:
            return []
        each = [_ONE.format(name=sql.Literal(name), table=sql.Identifier("pgmq", f"q_{name}")) for name in names]
        cursor.execute(sql.SQL(" UNION ALL ").join(each))
        return [Queue(name, name, "messages", length, age) for name, length, age in cursor.fetchall()]


# Each queue is a table; without the schema there is none.
_NAMES: Final = """
    SELECT substr(relname, 3) FROM pg_class
    WHERE relnamespace = to_regnamespace('pgmq') AND relkind = 'r' AND starts_with(relname, 'q_') ORDER BY relname
"""
# Messages that no worker has taken.
_ONE: Final = sql.SQL(
    "SELECT {name}, count(*), extract(epoch FROM clock_timestamp() - min(enqueued_at))::float"
    " FROM {table} WHERE vt <= clock_timestamp()"
)


def served(by: Collection[Collection[str]], queues: Collection[str]) -> dict[str, int]:
    """Return how many workers take work from each of `queues`; empty if some have not reported theirs."""
    return {queue: sum(queue in taken for taken in by) for queue in queues} if all(by) else {}


def due_work(now: datetime) -> list[Queue]:
    """Return the work that a worker could do at this moment."""
    return due_queues(DUE, now)


def games_of_uploaded_bots() -> QuerySet[Game]:
    return leases.due_games(sandboxed=True)


def free_trials() -> QuerySet[Trial]:
    return Trial.objects.filter(Q(leased_until=None) | Q(leased_until__lte=clock.now()), state__in=GOING)


def expired_clocks() -> QuerySet[Game]:
    return Game.objects.filter(status=Game.Status.PLAYING, deadline__lte=clock.now())


DUE: Final[Due] = {
    "play": (gettext_lazy("Games of built-in bots"), leases.due_games, "moved_at"),
    "sandbox": (gettext_lazy("Games of uploaded bots"), games_of_uploaded_bots, "moved_at"),
    "trials": (gettext_lazy("Admissions and comparisons"), free_trials, "served_at"),
    "clocks": (gettext_lazy("Expired clocks"), expired_clocks, "deadline"),
    "mail": (gettext_lazy("Emails"), NOTICE_MAILS.due, "send_at"),
}


def due_queues(named: Due, now: datetime) -> list[Queue]:
    """Return due work as queues: for each name its label, its rows, and since when a row waits. One query."""
    parts = tuple((name, rows, since) for name, (_label, rows, since) in named.items())
    found = {row["queue"]: (row["n"], row["oldest"]) for row in _due_counts(parts, tuple(KINDS))}
    return [
        due_queue(name, str(label), *found.get(name, (0, None)), now) for name, (label, _rows, _since) in named.items()
    ]


@prepared
def _due_counts(
    parts: Sequence[tuple[str, Callable[[], QuerySet[Any]], str]],
    kinds: Sequence[str],  # noqa: ARG001  for which there may be work: another statement for others
) -> QuerySet[Any, dict[str, Any]]:
    first, *others = [
        rows().order_by().values(queue=Value(name)).annotate(n=Count("pk"), oldest=Min(since))
        for name, rows, since in parts
    ]
    found: QuerySet[Any, dict[str, Any]] = first.union(*others, all=True)
    return found


def due_queue(name: str, label: str, waiting: int, oldest: datetime | None, now: datetime) -> Queue:
    """Return work that waits in the database since `oldest`, as a queue."""
    age = max((now - oldest) / timedelta(seconds=1), 0.0) if oldest else None
    return Queue(name, label, "due", waiting, age)
