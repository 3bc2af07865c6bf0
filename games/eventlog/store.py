"""The only writer and reader of event streams (docs/adr/0001-event-log.md).

An append is one row, a *batch*, with as many events as its writer chooses. The version of a stream is the number of its
events, and it is the lock: an append names the version that it follows, and a writer that comes second gets None. The
batches of a stream form a chain of hashes, whose end is the stream's *head* (docs/adr/0002-head-formula.md). Nothing is
ever changed afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

import psycopg
from django.db import connection, transaction

from games.common.after_commit import after_commit
from games.eventlog.models import Stream
from scorebook_games.contract import Event
from scorebook_games.gamelog.events import (
    GENESIS,
    Batch,
    Log,
    RecordedEvent,
    decode_batch,
    encode_batch,
    events_of,
    next_head,
    recorded,
)

GAMES_CHANNEL: Final = "games"

# This is one statement. The UPDATE locks the stream's row, so each writer sees what the one before it left. The head is
# made from the bytes that are stored beside it. scorebook_games.gamelog.events.next_head has the same formula in
# Python.
_APPEND: Final = """
    WITH grown AS (
        UPDATE stream
        SET version = version + %(count)s,
            head = sha256(head || int4send(length(%(body)s)) || %(body)s
                          || convert_to(array_to_string(%(times)s, ','), 'UTF8'))
        WHERE id = %(stream)s AND (version = %(expected)s OR %(expected)s IS NULL)
        RETURNING version
    )
    INSERT INTO batch (stream_id, seq, count, times, at, body)
    SELECT %(stream)s, version - %(count)s, %(count)s, %(times)s, %(at)s, %(body)s FROM grown
    RETURNING seq + count
"""
# A separate statement: what a rival committed while _APPEND waited for it is not in _APPEND's snapshot.
_STORED: Final = """
    SELECT id, count, body
    FROM unnest(%s::bigint[], %s::integer[]) WITH ORDINALITY AS sought (id, seq, place)
    JOIN stream USING (id) LEFT JOIN batch ON stream_id = id AND batch.seq = sought.seq
    ORDER BY place
"""
_LOCK: Final = "SELECT id, version, head FROM stream WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE"
_COPY: Final = "COPY batch (stream_id, seq, count, times, at, body) FROM STDIN (FORMAT BINARY)"
_COLUMNS: Final = ["int8", "int4", "int4", "int8[]", "timestamptz", "bytea"]
_BEGIN: Final = """
    INSERT INTO stream (subject, created, version, head)
    SELECT %s, %s, first.version, first.head
    FROM unnest(%s::integer[], %s::bytea[]) WITH ORDINALITY AS first (version, head, place)
    ORDER BY place
    RETURNING id
"""
_GROW: Final = """
    UPDATE stream SET version = grown.version, head = grown.head
    FROM unnest(%s::bigint[], %s::integer[], %s::bytea[]) AS grown (id, version, head)
    WHERE stream.id = grown.id
"""


class MissingStream(LookupError):
    """There is no stream with this id."""


class Append(NamedTuple):
    """One append of several. Its fields are the arguments of `append`."""

    stream_id: int
    events: Sequence[Event]
    expected: int | None
    times: Sequence[int]
    at: datetime


@dataclass(frozen=True, slots=True)
class Stored:
    """One batch as it is stored.

    `seq` events came before it. `scorebook_games.gamelog.events.encode_batch` made `body`.
    """

    seq: int
    count: int
    times: list[int]
    at: datetime
    body: bytes


def create(*, subject: Stream.Subject, at: datetime) -> Stream:
    """Create an empty stream."""
    return Stream.objects.create(subject=subject, created=at)


def begin_many(
    firsts: Sequence[tuple[Sequence[Event], Sequence[int]]], *, subject: Stream.Subject, at: datetime
) -> list[int]:
    """Create streams and return their ids in order. `firsts` has the (events, times) of each stream's first batch."""
    bodies = [_body(events, times) for events, times in firsts]
    versions = [len(events) for events, _ in firsts]
    heads = [next_head(GENESIS, body, times) for body, (_, times) in zip(bodies, firsts, strict=True)]
    with transaction.atomic(), _cursor() as cursor:
        cursor.execute(_BEGIN, [subject.value, at, versions, heads])
        ids = [int(row[0]) for row in cursor]
        with cursor.copy(_COPY) as copy:
            copy.set_types(_COLUMNS)
            for stream_id, version, (_, times), body in zip(ids, versions, firsts, bodies, strict=True):
                copy.write_row((stream_id, 0, version, list(times), at, body))
    return ids


def append(
    stream_id: int, events: Sequence[Event], *, expected: int | None, times: Sequence[int], at: datetime
) -> int | None:
    """Append `events` as one batch after version `expected`, and return the version after them.

    `times` has for each event the ms since the stream was opened. If the stream is at another version, nothing is
    written and None is returned. But if the same batch already stands at that place, this is a success, because it is a
    retry after a lost answer. `expected` None means ANY: after whatever is there, for streams with many writers.
    """
    body = _body(events, times)
    with _cursor() as cursor:
        cursor.execute(
            _APPEND,
            {
                "stream": stream_id,
                "expected": expected,
                "count": len(events),
                "times": list(times),
                "at": at,
                "body": body,
            },
        )
        row = cursor.fetchone()
        if row is not None:
            return int(row[0])
        return _stored_already(cursor, [(stream_id, expected, len(events), body)])[0]


def append_many(items: Sequence[Append]) -> list[int | None]:
    """Do several appends in one transaction, by COPY; return what `append` would have returned for each.

    A stale append gives None and does not harm the others. The streams' rows are locked in the order of their ids, so
    that two callers with the same streams cannot wait for each other for ever.
    """
    bodies = [_body(item.events, item.times) for item in items]
    with transaction.atomic(), _cursor() as cursor:
        cursor.execute(_LOCK, [sorted({item.stream_id for item in items})])
        ends: dict[int, tuple[int, bytes]] = {row[0]: (row[1], row[2]) for row in cursor}
        versions: list[int | None] = []
        grown: set[int] = set()
        with cursor.copy(_COPY) as copy:
            copy.set_types(_COLUMNS)
            for item, body in zip(items, bodies, strict=True):
                seq, head = _end_of(ends, item.stream_id)
                if item.expected not in (None, seq):
                    versions.append(None)
                    continue
                count = len(item.events)
                copy.write_row((item.stream_id, seq, count, list(item.times), item.at, body))
                ends[item.stream_id] = seq + count, next_head(head, body, item.times)
                versions.append(seq + count)
                grown.add(item.stream_id)
        ids = sorted(grown)
        cursor.execute(_GROW, [ids, [ends[id][0] for id in ids], [ends[id][1] for id in ids]])
        stale = [place for place, version in enumerate(versions) if version is None]
        sought = [(items[i].stream_id, items[i].expected, len(items[i].events), bodies[i]) for i in stale]
        for place, version in zip(stale, _stored_already(cursor, sought), strict=True):
            versions[place] = version
    return versions


def read_log(stream_id: int, *, after: int = 0) -> Log:
    """Return the batches of a stream after version `after`, which must end a batch, in order.

    An unknown stream has none.
    """
    return decoded_log(stored_batches(stream_id, after=after))


def decoded_log(batches: Iterable[Stored]) -> Log:
    """Return the events of stored batches. Raises ValueError if one cannot be read."""
    return [_recorded(batch.seq, batch.times, batch.body) for batch in batches]


def read_logs(stream_ids: Sequence[int]) -> dict[int, Log]:
    """Return the logs of several streams, by stream, in one query. An unknown stream has none."""
    logs: dict[int, Log] = {stream_id: [] for stream_id in stream_ids}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT stream_id, seq, times, body FROM batch WHERE stream_id = ANY(%s) ORDER BY stream_id, seq",
            [list(stream_ids)],
        )
        for stream_id, seq, times, body in cursor.fetchall():
            logs[stream_id].append(_recorded(seq, times, bytes(body)))
    return logs


def stored_logs(stream_ids: Sequence[int]) -> dict[int, list[Stored]]:
    """Return the batches of several streams as stored, by stream, in order and in one query."""
    logs: dict[int, list[Stored]] = {stream_id: [] for stream_id in stream_ids}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT stream_id, seq, count, times, at, body FROM batch WHERE stream_id = ANY(%s) "
            "ORDER BY stream_id, seq",
            [list(stream_ids)],
        )
        for stream_id, seq, count, times, at, body in cursor.fetchall():
            logs[stream_id].append(Stored(seq, count, times, at, bytes(body)))
    return logs


def read_events(stream_id: int, *, after: int = 0, until: int | None = None) -> list[RecordedEvent]:
    """Return the events of a stream after the first `after`, up to version `until`, in order.

    An unknown stream has none.
    """
    batches = stored_batches(stream_id, after=after, until=until)
    entries = events_of([_recorded(batch.seq, batch.times, batch.body) for batch in batches])
    return [entry for entry in entries if after < entry.version and (until is None or entry.version <= until)]


def read_streams(stream_ids: Sequence[int]) -> dict[int, list[RecordedEvent]]:
    """Return all events of several streams, by stream, in one query. An unknown stream has none."""
    return {stream_id: events_of(log) for stream_id, log in read_logs(stream_ids).items()}


def _recorded(seq: int, times: Sequence[int], body: bytes) -> Batch:
    return recorded(seq, times, decode_batch(body))


def stored_batches(stream_id: int, *, after: int = 0, until: int | None = None) -> list[Stored]:
    """Return the batches of a stream as stored, in order.

    The first holds the first event after `after`, and the last holds version `until`.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT seq, count, times, at, body FROM batch
            WHERE stream_id = %(stream)s AND seq + count > %(after)s AND seq >= coalesce(
                (SELECT max(seq) FROM batch WHERE stream_id = %(stream)s AND seq <= %(after)s), 0)
            AND (seq < %(until)s OR %(until)s::integer IS NULL)
            ORDER BY seq
            """,
            {"stream": stream_id, "after": after, "until": until},
        )
        return [Stored(seq, count, times, at, bytes(body)) for seq, count, times, at, body in cursor.fetchall()]


def read_timed_events(stream_id: int) -> list[tuple[Event, datetime]]:
    """Return all events of a stream, each with the exact time at which it was appended."""
    return [(event, batch.at) for batch in stored_batches(stream_id) for event in decode_batch(batch.body)]


def announce_many(versions: Mapping[int, int]) -> None:
    """Tell listeners, after this transaction's commit, which versions games have reached (id → version).

    A notification may be lost, so nobody may rely on it. Within the transaction it would cost up to 72 % of the
    throughput, because PostgreSQL lets only one transaction with notifications commit at a time.
    """
    payloads = [f"{game_id}:{version}" for game_id, version in versions.items()]
    after_commit(_notify, payloads)


def announce_state(game_id: int) -> None:
    """Tell listeners in the same way of a change that is no event: presence, a bundle, an offer."""
    after_commit(_notify, [f"{game_id}:state"])


def announce_talk(game_id: int) -> None:
    """Tell listeners in the same way that a player of a game has said something at its table."""
    after_commit(_notify, [f"{game_id}:talk"])


def _notify(payloads: Sequence[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_notify(%s, payload) FROM unnest(%s::text[]) AS payload", [GAMES_CHANNEL, list(payloads)]
        )


def _body(events: Sequence[Event], times: Sequence[int]) -> bytes:
    if not events or len(events) != len(times):
        raise ValueError(f"A batch has one time for each event, and an event; not {len(times)} for {len(events)}.")
    return encode_batch(events)


def _end_of(ends: dict[int, tuple[int, bytes]], stream_id: int) -> tuple[int, bytes]:
    if stream_id not in ends:
        raise MissingStream(f"There is no stream {stream_id}.")
    return ends[stream_id]


def _stored_already(
    cursor: psycopg.Cursor[tuple[Any, ...]], sought: Sequence[tuple[int, int | None, int, bytes]]
) -> list[int | None]:
    """Return for each (stream, expected, count, body) the version after this batch if it is stored, else None."""
    if not sought:
        return []
    cursor.execute(_STORED, [[one[0] for one in sought], [one[1] for one in sought]])
    found = cursor.fetchall()
    ids = {row[0] for row in found}
    for stream_id, *_ in sought:
        if stream_id not in ids:
            raise MissingStream(f"There is no stream {stream_id}.")
    return [
        (expected or 0) + count if (count, body) == row[1:] else None
        for (_, expected, count, body), row in zip(sought, found, strict=True)
    ]


@contextmanager
def _cursor() -> Iterator[psycopg.Cursor[tuple[Any, ...]]]:
    """Return a psycopg cursor on Django's connection, which sends parameters separately from the text."""
    connection.ensure_connection()
    connection.validate_no_broken_transaction()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        yield cursor
