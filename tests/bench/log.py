"""Measures what the log costs, and how many bytes an event takes.

    python -m tests.bench.log

It needs DATABASE_URL, makes a separate database on that server, `test_bench_log`, and drops it at the end. It prints
ratios to the plainest way to write the same rows. Each ratio is the median of pairs of runs, one right after the other.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from statistics import median
from time import perf_counter

import django
from django.db import connection

from tests.bench.where import where

AT = datetime(2026, 3, 14, 18, 30, tzinfo=UTC)
ROUNDS = 15
APPENDS = 150  # in one run
GAMES = 50  # in one transaction
BARE_INSERT = "INSERT INTO batch (stream_id, seq, count, times, at, body) VALUES (%s, %s, %s, %s, %s, %s)"


@contextmanager
def own_database() -> Iterator[None]:
    """Provide a migrated database of this benchmark."""
    name = str(connection.settings_dict["NAME"])
    connection.settings_dict["NAME"] = "bench_log"
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        yield
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


def bot_games(kind: str, seats: int, count: int) -> list[list[list[object]]]:
    """Return the events of `count` games of random legal moves, with their openings."""
    from scorebook_games.chance import SeedDealer, commitment
    from scorebook_games.gamelog.terms import terms_of
    from scorebook_games.registry import rules_for

    chance, rules, games = random.Random(1), rules_for(kind), []
    for number in range(count):
        dealer = SeedDealer(number.to_bytes(32, "big"))
        state = rules.initial(seats, rules.resolve(seats, {}))
        events = rules.start(state, dealer)
        for event in events:
            rules.apply(state, event)
        while rules.outcome(state) is None:
            seat = rules.to_act(state)[0]
            made = rules.decide(state, seat, chance.choice(rules.legal_actions(state, seat)), dealer)
            for event in made:
                rules.apply(state, event)
            events += made
        opened = {
            "game": f"{number:08}",
            "kind": kind,
            "rules_version": rules.spec.rules_version,
            "seats": seats,
            "players": chance.sample(range(1_000_000), seats),
            "options": rules.resolve(seats, {}),
            "terms": terms_of({}).plain(),
            "commitment": commitment(bytes(16), number.to_bytes(32, "big")),
        }
        games.append([["@opened", opened], *events])
    return games


def seconds(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


def ratio(ours: Callable[[], object], plainest: Callable[[], object]) -> tuple[float, float, float]:
    """Return medians over pairs of runs: (our speed as a multiple of the plain way's, our seconds, the plain way's
    seconds)."""
    pairs = [(seconds(ours), seconds(plainest)) for _ in range(ROUNDS)]
    return median(b / a for a, b in pairs), median(a for a, _ in pairs), median(b for _, b in pairs)


def appends(events: Sequence[list[object]], fresh: Callable[[], int]) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return two functions: one calls `eventlog.append`, one inserts the same row alone; each row has its own
    transaction."""
    import psycopg

    from games.eventlog import store as eventlog
    from scorebook_games.gamelog.events import encode_batch

    times = [1000] * len(events)
    body = encode_batch(events)

    def ours() -> None:
        stream = fresh()
        for version in range(0, APPENDS * len(events), len(events)):
            assert eventlog.append(stream, list(events), expected=version, times=times, at=AT)

    def plainest() -> None:
        stream = fresh()
        with psycopg.Cursor(connection.connection) as cursor:
            for version in range(0, APPENDS * len(events), len(events)):
                encode_batch(events)
                cursor.execute(BARE_INSERT, [stream, version, len(events), times, AT, body])

    return ours, plainest


def many(
    games: Sequence[list[list[object]]], fresh: Callable[[], int]
) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return two functions: one calls `eventlog.append_many` for whole games, one copies the same rows with COPY."""
    import psycopg
    from django.db import transaction

    from games.eventlog import store as eventlog
    from scorebook_games.gamelog.events import encode_batch

    def ours() -> None:
        items = [eventlog.Append(fresh(), events, 0, [1000] * len(events), AT) for events in games]
        assert all(eventlog.append_many(items))

    def plainest() -> None:
        rows = [(fresh(), 0, len(events), [1000] * len(events), AT, encode_batch(events)) for events in games]
        with transaction.atomic(), psycopg.Cursor(connection.connection) as cursor, cursor.copy(eventlog._COPY) as copy:
            copy.set_types(eventlog._COLUMNS)
            for row in rows:
                copy.write_row(row)

    return ours, plainest


def bytes_an_event(games: Sequence[list[list[object]]], fresh: Callable[[], int]) -> float:
    """Return the bytes of an event in whole games, including its part of the row, of the table and of the index."""
    from games.eventlog import store as eventlog

    with connection.cursor() as cursor:
        cursor.execute("VACUUM FULL batch")
        cursor.execute("SELECT pg_total_relation_size('batch')")
        before = cursor.fetchone()[0]
        items = [
            eventlog.Append(fresh(), events, 0, sorted(random.Random(1).choices(range(400), k=len(events))), AT)
            for events in [*games] * 4  # so that the last, half empty page does not count
        ]
        eventlog.append_many(items)
        cursor.execute("VACUUM FULL batch")
        cursor.execute("SELECT pg_total_relation_size('batch')")
        return float(cursor.fetchone()[0] - before) / sum(map(len, games)) / 4


def stock() -> Callable[[], int]:
    """Return a function that returns the id of a new stream. Ids are made in bulk, so that they cost no measured
    time."""
    from games.eventlog.models import Stream

    waiting: list[int] = []

    def fresh() -> int:
        if not waiting:
            fresh_ones = (Stream(subject=Stream.Subject.GAME, created=AT) for _ in range(2000))
            waiting.extend(stream.pk for stream in Stream.objects.bulk_create(fresh_ones))
        return waiting.pop()

    fresh()
    return fresh


def report() -> None:
    print(where())
    fresh = stock()
    one = [["placed", 1, [17, 19], [], 0], ["cleared", 1, 7]]
    share, ours, bare = ratio(*appends(one, fresh))
    print(f"append of a move: {share:.2f} of a bare INSERT ({APPENDS / ours:,.0f}/s, {APPENDS / bare:,.0f}/s); aim 0.6")
    for kind, seats in [("chinese_ten", 2), ("chinese_ten", 4), ("plates", 2), ("plates", 4)]:
        games = bot_games(kind, seats, GAMES)
        events = sum(map(len, games))
        share, ours, bare = ratio(*many(games, fresh))
        print(
            f"append_many of {GAMES} games of {kind} for {seats} ({events} events): {share:.2f} of COPY "
            f"({events / ours:,.0f} events/s, {events / bare:,.0f} events/s); aim 0.7"
        )
        print(f"  {bytes_an_event(games, fresh):.1f} bytes an event on disk; aim 20 at most")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    with own_database():
        report()
