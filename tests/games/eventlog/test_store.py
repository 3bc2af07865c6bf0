"""The event log (docs/explanation/event-log.md), with real writers on real PostgreSQL."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from hypothesis import example, given, settings
from hypothesis import strategies as st

from games.eventlog import store as eventlog
from games.eventlog.models import Batch, Stream
from scorebook_games.contract import Event
from scorebook_games.gamelog.events import (
    COMPRESS_ABOVE_BYTES,
    DEFLATED_CODEC,
    GENESIS,
    PLAIN_CODEC,
    decode_batch,
    encode_batch,
    next_head,
)
from tests.games.conftest import wait_for_waiter

AT = datetime(2026, 3, 14, 18, 30, tzinfo=UTC)
# Other connections must see the rows, so they are committed.
several_connections = pytest.mark.django_db(transaction=True)

LONG: Event = ["laid", *range(COMPRESS_ABOVE_BYTES)]


@pytest.fixture
def stream(db: None) -> Stream:
    return eventlog.create(subject=Stream.Subject.GAME, at=AT)


def append(stream: Stream, *events: Event, expected: int | None) -> int | None:
    return eventlog.append(stream.pk, list(events), expected=expected, times=list(range(len(events))), at=AT)


def item(stream: Stream, *events: Event, expected: int | None) -> eventlog.Append:
    return eventlog.Append(stream.pk, list(events), expected, list(range(len(events))), AT)


def events_of(stream: Stream) -> list[Event]:
    return [entry.event for entry in eventlog.read_events(stream.pk)]


def assert_whole(stream: Stream) -> None:
    """Check that batches have no gap and that their chain ends in the stream's version and head."""
    stream.refresh_from_db()
    version, head = 0, GENESIS
    for batch in eventlog.stored_batches(stream.pk):
        assert batch.seq == version
        assert len(decode_batch(batch.body)) == batch.count == len(batch.times)
        version, head = version + batch.count, next_head(head, batch.body, batch.times)
    assert (version, head) == (stream.version, bytes(stream.head))


@contextmanager
def rolled_back() -> Iterator[None]:
    """Provide a transaction, which is rolled back at the end of the block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def at_once(writers: int, write: Callable[[int], object]) -> list[object]:
    """Call `write` in several threads at the same time, each with a separate connection. Return the results."""
    together = threading.Barrier(writers)

    def one(writer: int) -> object:
        try:
            connection.ensure_connection()
            together.wait(timeout=60)
            return write(writer)
        finally:
            connection.close()

    with ThreadPoolExecutor(writers) as pool:
        return list(pool.map(one, range(writers)))


# -- one writer


def test_an_append_returns_the_version_after_it_and_is_read_back(stream: Stream) -> None:
    assert append(stream, ["a", 1], ["b", None], expected=0) == 2
    assert append(stream, ["c", [3, "é"]], expected=2) == 3
    assert eventlog.read_events(stream.pk) == [(1, 0, ["a", 1]), (2, 1, ["b", None]), (3, 0, ["c", [3, "é"]])]
    assert_whole(stream)


@pytest.mark.parametrize("after", range(7))
def test_reading_after_a_version_gives_every_event_behind_it(stream: Stream, after: int) -> None:
    for expected, size in [(0, 2), (2, 1), (3, 3)]:
        append(stream, *[["e", expected + n] for n in range(size)], expected=expected)
    assert [entry.version for entry in eventlog.read_events(stream.pk, after=after)] == list(range(after + 1, 7))
    assert all(entry.event == ["e", entry.version - 1] for entry in eventlog.read_events(stream.pk, after=after))


def test_reading_after_a_version_fetches_no_batch_before_it(stream: Stream) -> None:
    for version in range(10):
        append(stream, ["e", version], expected=version)
    assert [batch.seq for batch in eventlog.stored_batches(stream.pk, after=7)] == [7, 8, 9]


def test_a_stale_append_returns_none_and_writes_nothing(stream: Stream) -> None:
    append(stream, ["a"], expected=0)
    assert append(stream, ["b"], expected=0) is None
    assert append(stream, ["b"], expected=5) is None
    assert events_of(stream) == [["a"]]
    assert_whole(stream)


def test_a_retry_that_finds_its_own_batch_is_a_success(stream: Stream) -> None:
    assert append(stream, ["a"], ["b"], expected=0) == 2
    append(stream, ["c"], expected=2)
    assert append(stream, ["a"], ["b"], expected=0) == 2
    assert append(stream, ["a"], expected=0) is None, "a part of the batch is not the batch"
    assert append(stream, ["b"], expected=1) is None, "no batch begins there"
    assert events_of(stream) == [["a"], ["b"], ["c"]]


def test_a_transaction_that_rolls_back_leaves_no_trace_and_its_version_is_free_again(stream: Stream) -> None:
    with rolled_back():
        assert append(stream, ["lost"], expected=0) == 1
        assert append(stream, ["lost", "too"], expected=1) == 2
    assert append(stream, ["kept"], expected=0) == 1
    assert events_of(stream) == [["kept"]]
    assert_whole(stream)


def test_a_stale_append_does_not_break_the_transaction_around_it(stream: Stream) -> None:
    with transaction.atomic():
        assert append(stream, ["a"], expected=3) is None
        assert append(stream, ["a"], expected=0) == 1
    assert events_of(stream) == [["a"]]


def test_an_append_within_a_broken_transaction_is_an_error_of_django(stream: Stream) -> None:
    with rolled_back():
        with pytest.raises(DatabaseError), connection.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")
        with pytest.raises(DatabaseError, match="aborted"):
            append(stream, ["a"], expected=0)
    assert events_of(stream) == []


def test_an_unknown_stream_is_an_error_and_not_a_conflict(db: None) -> None:
    for expected in (0, 7, None):
        with pytest.raises(eventlog.MissingStream, match="no stream 404"):
            eventlog.append(404, [["a"]], expected=expected, times=[0], at=AT)
    with pytest.raises(eventlog.MissingStream, match="no stream 404"):
        eventlog.append_many([eventlog.Append(404, [["a"]], 0, [0], AT)])


@pytest.mark.parametrize(("events", "times"), [([], []), ([["a"]], []), ([["a"]], [0, 1])])
def test_a_batch_has_events_and_a_time_for_each(stream: Stream, events: list[Event], times: list[int]) -> None:
    with pytest.raises(ValueError, match="one time for each event"):
        eventlog.append(stream.pk, events, expected=0, times=times, at=AT)


def test_a_time_of_a_year_after_the_opening_fits(stream: Stream) -> None:
    year = 365 * 24 * 60 * 60 * 1000
    eventlog.append(stream.pk, [["a"]], expected=0, times=[year], at=AT)
    eventlog.append_many([eventlog.Append(stream.pk, [["b"]], 1, [year + 1], AT)])
    assert [entry.ms for entry in eventlog.read_events(stream.pk)] == [year, year + 1]
    assert_whole(stream)


# -- the head


@pytest.mark.parametrize("events", [[["a"]], [LONG], [["a", "\\000 ' é 𝄞 \n"]], [["e", n] for n in range(300)]])
def test_the_database_computes_the_head_that_the_formula_says(stream: Stream, events: list[Event]) -> None:
    """The formula is in docs/adr/0002-head-formula.md."""
    times = [n * 70_000 for n in range(len(events))]
    eventlog.append(stream.pk, events, expected=0, times=times, at=AT)
    stream.refresh_from_db()
    assert bytes(stream.head) == next_head(GENESIS, encode_batch(events), times)


def test_append_and_append_many_make_the_same_head(stream: Stream) -> None:
    other = eventlog.create(subject=Stream.Subject.GAME, at=AT)
    append(stream, ["a"], LONG, expected=0)
    append(stream, ["b"], expected=2)
    eventlog.append_many([item(other, ["a"], LONG, expected=0), item(other, ["b"], expected=2)])
    stream.refresh_from_db()
    other.refresh_from_db()
    assert bytes(stream.head) == bytes(other.head)


def test_streams_that_begin_with_events_are_as_if_those_had_been_appended(db: None) -> None:
    firsts = [([["a"], LONG], [0, 7]), ([["b"]], [0]), ([["a"], LONG], [0, 7])]
    ids = eventlog.begin_many(firsts, subject=Stream.Subject.GAME, at=AT)
    assert sorted(set(ids)) == ids, "one each, in their order"
    for stream_id, (events, times) in zip(ids, firsts, strict=True):
        stream = Stream.objects.get(pk=stream_id)
        assert [(entry.event, entry.ms) for entry in eventlog.read_events(stream.pk)] == list(
            zip(events, times, strict=True)
        )
        assert_whole(stream)
        assert append(stream, ["c"], expected=len(events)) == len(events) + 1
        assert_whole(stream)


def test_no_stream_begins_with_nothing(db: None) -> None:
    with pytest.raises(ValueError, match="A batch has one time for each event"):
        eventlog.begin_many([([["a"]], [0]), ([], [])], subject=Stream.Subject.GAME, at=AT)
    assert not Stream.objects.exists()


def test_bytes_cannot_move_between_body_and_times() -> None:
    assert next_head(GENESIS, b"j[1]", [23]) != next_head(GENESIS, b"j[1]2", [3])


# -- many writers


def by_append(stream: Stream, version: int, writer: int) -> int | None:
    return append(stream, ["by", writer], expected=version)


def by_either(stream: Stream, version: int, writer: int) -> int | None:
    if writer % 2:
        return by_append(stream, version, writer)
    return eventlog.append_many([item(stream, ["by", writer], expected=version)])[0]


def the_same(stream: Stream, version: int, _writer: int) -> int | None:
    return append(stream, ["same", version], expected=version)


@several_connections
def test_of_many_writers_at_one_version_exactly_one_wins(stream: Stream) -> None:
    for version in range(20):
        answers = at_once(4, partial(by_append, stream, version))
        assert sorted(answers, key=str) == [version + 1, None, None, None]
    assert len(events_of(stream)) == 20
    assert_whole(stream)


@several_connections
def test_batches_of_different_lengths_never_overlap(stream: Stream) -> None:
    """The primary key alone would allow an overlap: seq 0 with three events and seq 1 with two."""

    def write(writer: int) -> int:
        won = 0
        for _ in range(40):
            version = Stream.objects.values_list("version", flat=True).get(pk=stream.pk)
            won += append(stream, *[["by", writer]] * (writer + 1), expected=version) is not None
        return won

    won = [int(str(count)) for count in at_once(4, write)]
    assert all(won)
    assert sum(count * (writer + 1) for writer, count in enumerate(won)) == len(events_of(stream))
    assert_whole(stream)


@several_connections
def test_a_hot_stream_loses_nothing_that_was_appended_at_any_version(stream: Stream) -> None:
    def write(writer: int) -> list[int | None]:
        return [append(stream, ["by", writer, n], expected=None) for n in range(50)]

    answers = at_once(4, write)
    versions = [version for written in answers for version in written]  # type: ignore[attr-defined]
    assert sorted(versions) == list(range(1, 201))
    for writer in range(4):
        assert [event[2] for event in events_of(stream) if event[1] == writer] == list(range(50))
    assert_whole(stream)


@several_connections
def test_a_retry_that_races_with_its_own_first_try_is_a_success(stream: Stream) -> None:
    """The lost first attempt commits while the retry waits for its lock."""
    for version in range(20):
        answers = at_once(2, partial(the_same, stream, version))
        assert answers == [version + 1, version + 1]
    assert_whole(stream)


@several_connections
def test_a_writer_waits_for_an_open_transaction_and_then_finds_itself_stale(stream: Stream) -> None:
    answers: list[object] = []
    with transaction.atomic():
        append(stream, ["first"], expected=0)
        second = threading.Thread(
            target=lambda: answers.extend(at_once(1, lambda _: append(stream, ["x"], expected=0)))
        )
        second.start()
        wait_for_waiter()
        assert answers == []
    second.join(timeout=60)
    assert answers == [None]


@several_connections
def test_a_writer_wins_when_the_one_it_waited_for_rolls_back(stream: Stream) -> None:
    answers: list[object] = []
    with rolled_back():
        append(stream, ["first"], expected=0)
        second = threading.Thread(
            target=lambda: answers.extend(at_once(1, lambda _: append(stream, ["x"], expected=0)))
        )
        second.start()
        wait_for_waiter()
    second.join(timeout=60)
    assert answers == [1]
    assert events_of(stream) == [["x"]]
    assert_whole(stream)


# -- append_many


def test_append_many_writes_all_and_a_stale_item_does_not_spoil_the_others(stream: Stream) -> None:
    second, third = (eventlog.create(subject=Stream.Subject.GAME, at=AT) for _ in range(2))
    append(second, ["there"], expected=0)
    answers = eventlog.append_many(
        [
            item(third, ["c"], LONG, expected=0),
            item(second, ["stale"], expected=0),
            item(stream, ["a"], expected=0),
            item(second, ["there"], expected=0),
            item(stream, ["b"], expected=1),
            item(stream, ["any"], expected=None),
        ]
    )
    assert answers == [2, None, 1, 1, 2, 3]
    assert events_of(stream) == [["a"], ["b"], ["any"]]
    assert events_of(second) == [["there"]]
    assert events_of(third) == [["c"], LONG]
    for one in (stream, second, third):
        assert_whole(one)


def test_append_many_of_nothing_is_nothing(db: None) -> None:
    assert eventlog.append_many([]) == []


def test_append_many_writes_nothing_at_all_when_one_item_is_impossible(stream: Stream) -> None:
    impossible = eventlog.Append(stream.pk, [["b"]], 1, [-(2**70)], AT)
    with pytest.raises((DatabaseError, psycopg.Error, OverflowError)):
        eventlog.append_many([item(stream, ["a"], expected=0), impossible])
    assert events_of(stream) == []
    assert_whole(stream)


@several_connections
def test_append_many_with_the_same_streams_in_opposite_orders_does_not_deadlock(db: None) -> None:
    streams = [eventlog.create(subject=Stream.Subject.GAME, at=AT) for _ in range(12)]

    def write(writer: int) -> int:
        order = streams if writer % 2 else streams[::-1]
        return sum(
            version is not None
            for n in range(15)
            for version in eventlog.append_many([item(one, ["by", writer, n], expected=None) for one in order])
        )

    assert at_once(4, write) == [15 * 12] * 4
    for one in streams:
        assert len(events_of(one)) == 60
        assert_whole(one)


@several_connections
def test_append_and_append_many_at_one_version_have_one_winner(stream: Stream) -> None:
    for version in range(20):
        answers = at_once(4, partial(by_either, stream, version))
        assert sorted(answers, key=str) == [version + 1, None, None, None]
    assert_whole(stream)


# -- notes


Listener = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def listener(db: None) -> Iterator[Listener]:
    with psycopg.connect(dsn(), autocommit=True) as ears:
        ears.execute(f"LISTEN {eventlog.GAMES_CHANNEL}")
        yield ears


def dsn() -> str:
    place = connection.settings_dict
    named = {"host": place["HOST"], "port": place["PORT"], "dbname": place["NAME"], "user": place["USER"]}
    return " ".join(f"{name}='{value}'" for name, value in (named | {"password": place["PASSWORD"]}).items() if value)


def heard(listener: Listener) -> list[str]:
    """Return the notes so far. They are complete, because a mark is sent after them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, 'mark')", [eventlog.GAMES_CHANNEL])
    notes: list[str] = []
    for note in listener.notifies(timeout=60):
        if note.payload == "mark":
            return notes
        notes.append(note.payload)
    pytest.fail("The listener did not receive its mark.")


@several_connections
def test_a_note_is_sent_after_the_commit(listener: Listener) -> None:
    with transaction.atomic():
        eventlog.announce_many({7: 12})
        with psycopg.connect(dsn(), autocommit=True) as other:
            other.execute("SELECT pg_notify(%s, 'before')", [eventlog.GAMES_CHANNEL])
        with transaction.atomic():
            eventlog.announce_many({8: 3})
    assert heard(listener) == ["before", "7:12", "8:3"]


@several_connections
def test_no_note_is_sent_when_the_transaction_rolls_back(listener: Listener) -> None:
    with rolled_back():
        eventlog.announce_many({7: 12})
    assert heard(listener) == []


@several_connections
def test_without_a_transaction_a_note_is_sent_at_once(listener: Listener) -> None:
    eventlog.announce_many({7: 12})
    assert heard(listener) == ["7:12"]


# -- the codec

values = st.recursive(
    st.none() | st.integers(-(2**63), 2**63) | st.text(), lambda inner: st.lists(inner, max_size=8), max_leaves=30
)
EVENTS, VALUES = (40, 10) if settings().max_examples > 100 else (8, 6)  # at most; more with `--all`
batches_of_events = st.lists(
    st.lists(values, max_size=VALUES).map(lambda rest: ["type", *rest]), min_size=1, max_size=EVENTS
)


@pytest.mark.long  # with `--all` it draws 120 examples, some of them long
@settings(max_examples=settings().max_examples * 3 // 5)
@given(batches_of_events)
@example([LONG])
@example([["a", "\x00\ud800"]])
def test_what_is_encoded_decodes_to_itself_and_to_the_same_bytes_again(events: list[Event]) -> None:
    body = encode_batch(events)
    assert decode_batch(body) == events
    assert encode_batch(decode_batch(body)) == body


@given(st.integers(0, 2 * COMPRESS_ABOVE_BYTES))
@example(COMPRESS_ABOVE_BYTES - len('[["type",""]]'))
@example(COMPRESS_ABOVE_BYTES - len('[["type",""]]') + 1)
def test_a_batch_above_the_limit_is_deflated_and_no_other(length: int) -> None:
    events: list[Event] = [["type", "x" * length]]
    text = json.dumps(events, separators=(",", ":"))
    assert encode_batch(events)[:1] == (DEFLATED_CODEC if len(text) > COMPRESS_ABOVE_BYTES else PLAIN_CODEC)


@pytest.mark.slow
@given(batches_of_events)
@example([LONG])
def test_any_batch_above_the_limit_is_deflated_and_no_other(events: list[Event]) -> None:
    text = json.dumps(events, separators=(",", ":"))
    assert encode_batch(events)[:1] == (DEFLATED_CODEC if len(text) > COMPRESS_ABOVE_BYTES else PLAIN_CODEC)


@given(st.binary(max_size=60))
@example(b"")
@example(b"z")
@example(b"j{}")
@example(b"j[")
@example(b"j" + b"[" * 100_000)
@example(PLAIN_CODEC + b"\xff")
def test_other_bytes_are_a_value_error_or_a_list(body: bytes) -> None:
    with suppress(ValueError):
        assert isinstance(decode_batch(body), list)


@given(st.binary(max_size=80), st.lists(st.integers(0, 2**40), max_size=5), st.integers(0, 79), st.integers(1, 255))
def test_any_other_byte_makes_another_head(body: bytes, times: list[int], place: int, change: int) -> None:
    if place < len(body):
        other = body[:place] + bytes([body[place] ^ change]) + body[place + 1 :]
        assert next_head(GENESIS, other, times) != next_head(GENESIS, body, times)


def test_an_append_is_one_row_however_many_events_it_holds(stream: Stream) -> None:
    append(stream, *[["e", n] for n in range(500)], expected=0)
    assert Batch.objects.filter(stream=stream).count() == 1
