"""Steps that are killed, run by several processes at once and run twice, in real processes on a real database.

All rows are copied before a step and restored after each disturbance, so that each begins with the same rows. Each run
makes the same random draws and ids, so that the rows after a disturbed step can be compared with those after an
undisturbed one.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any

import psycopg
from django.db import connection
from psycopg import sql

from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.tasks import notify_people
from scorebook_games.contract import Event
from tournaments.seasons.models import Season

PROCESSES = 3
EIGHTH = 8  # if a kill changed no rows, another process repeats the step only after every eighth
NEVER = 1 << 30
DONE, FAILED, REFUSED = 0, 1, 3  # exit codes
# Tables of processes and caches, which are not compared; then columns that the database's clock fills.
APART = ("cache", "common_tablechange", "django_session", "django_migrations", "workers_worker")
BY_THE_CLOCK = ("created", "date_joined", "last_login", "heartbeat_at")
UNNAMED = ("accounts_notice",)  # tables compared without ids: no row refers to them, and a race decides their order
# Tables of the leagues that are compared in steps with parts, and the columns that are left out.
FIGURES = {
    "standings_standing": ("id", "entrant_id", "row"),
    "ratings_rating": ("id", "pool_id", "player_id"),
    "seasons_season": ("id", "league_id", "stream_id", "successor_id", "slug", "name"),
    # `waited_at`: a step that was taken up again may have asked once more whether there is something to pair
    "seasons_division": ("id", "season_id", "waited_at"),
    "seasons_round": ("id", "division_id"),
    "seasons_entrant": ("id", "season_id", "division_id", "player_id"),
    "seasons_matchentrant": ("id", "match_id", "entrant_id"),
}
forks = multiprocessing.get_context("fork")

STREAMS = "streams of seasons"
Rows = dict[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """A step: `call` is called at the time `at`. `parts` means that it consists of several transactions, so that a
    process may die between two and several processes may share them. Then games and rows get other ids than
    undisturbed, and rows are compared without these. `unnamed` are tables whose rows the step may give other ids."""

    name: str
    at: datetime
    call: Callable[[], Any]
    parts: bool = False
    unnamed: tuple[str, ...] = ()


@dataclass
class Found:
    """The result of disturbing a step: its number of statements with commits, the kills, how many of them changed no
    row or some rows, and the differences."""

    name: str
    statements: int = 0
    kills: int = 0
    nothing: int = 0
    something: int = 0
    differences: list[str] = field(default_factory=list)


@dataclass
class Stage:
    """The database of the settings. `kept` has a digest of each table's stored rows."""

    kept: Rows = field(default_factory=dict)
    whole: Rows = field(default_factory=dict)  # all columns of all rows

    def keep(self, step: Step) -> None:
        """Copy all rows into another schema."""
        self.kept, self.whole = self.rows(step), self.rows(replace(step, parts=False, unnamed=()))
        with server() as cursor:
            cursor.execute("DROP SCHEMA IF EXISTS kept CASCADE; CREATE SCHEMA kept")
            copy = sql.SQL("CREATE UNLOGGED TABLE kept.{0} AS TABLE public.{0}")
            cursor.execute(sql.SQL("; ").join(copy.format(sql.Identifier(name)) for name in self.whole))

    def put_back(self, step: Step) -> None:
        """Restore the rows that have changed. The log's triggers are disabled meanwhile, which only the owner may
        do."""
        has = self.rows(replace(step, parts=False, unnamed=()))
        whole = {name: sql.Identifier(name) for name, digest in has.items() if digest != self.whole[name]}
        with server() as cursor:
            for how in ("DISABLE", "PUT", "ENABLE"):
                if how == "PUT":
                    self._insert(cursor, whole.values())
                    continue
                for table in whole.values():
                    cursor.execute(sql.SQL(f"ALTER TABLE {{}} {how} TRIGGER USER").format(table))

    @staticmethod
    def _insert(cursor: psycopg.Cursor[Any], tables: Iterable[sql.Identifier]) -> None:
        """Replace the rows of tables in one transaction, at the end of which foreign keys are checked."""
        with cursor.connection.transaction():
            for table in tables:
                cursor.execute(sql.SQL("DELETE FROM public.{0}").format(table))
                cursor.execute(sql.SQL("INSERT INTO public.{0} SELECT * FROM kept.{0}").format(table))

    def disturb(self, step: Step, kill_at: Callable[[int], Iterable[int]]) -> Found:
        """Run `step` in all the ways that it must survive, and return the result. `kill_at` chooses the statements
        before which the process is killed. At the end the step has been done."""
        found = Found(step.name)
        self.keep(step)
        [alone] = self.run(step)
        found.statements = alone.statements
        expected = self.rows(step)
        if alone.code != DONE:
            found.differences.append(f"the undisturbed step ended with code {alone.code}")
        changed = True
        for number in kill_at(found.statements):
            if changed:
                self.put_back(step)
            changed = self.killed(step, number, expected, found)
        self.put_back(step)
        ended = self.run(step, PROCESSES)
        if step.parts:  # another process does what remains
            self.run(step)
        self.compare(f"{PROCESSES} at once", step, ended, expected, found)
        self.compare("once more", step, self.run(step), expected, found)
        return found

    def killed(self, step: Step, number: int, expected: Rows, found: Found) -> bool:
        """Kill a process that runs the step before its statement `number` (0 …), and let another process run it. Return
        whether rows have changed since the step began."""
        [ended] = self.run(step, die_at=number)
        found.kills += ended.code == -signal.SIGKILL
        if self.rows(step) == self.kept:
            found.nothing += 1
            if number % EIGHTH:  # the rows and draws are the same, so this would repeat the undisturbed step
                return False
        else:
            found.something += 1
        self.compare(f"killed before statement {number}, then done by another", step, self.run(step), expected, found)
        return True

    def compare(self, how: str, step: Step, ended: Iterable[Ended], expected: Rows, found: Found) -> None:
        if any(each.code == FAILED for each in ended):
            found.differences.append(f"{how}: a process failed")
        has = self.rows(step)
        if wrong := sorted(name for name in has.keys() | expected.keys() if has.get(name) != expected.get(name)):
            found.differences.append(f"{how}: other rows in {', '.join(wrong)}")

    def run(self, step: Step, processes: int = 1, *, die_at: int = NEVER) -> list[Ended]:
        """Run the step in several processes that begin at the same moment, and return how each ended."""
        _counters()  # cached before the processes fork
        barrier = forks.Barrier(processes)
        counts = [forks.RawValue("i", 0) for _ in range(processes)]
        connection.close()
        running = [forks.Process(target=_child, args=(step, die_at, barrier, count)) for count in counts]
        for process in running:
            process.start()
        for process in running:
            process.join(120)
            assert process.exitcode is not None, f"{step.name} hangs."
        return [Ended(int(process.exitcode or 0), count.value) for process, count in zip(running, counts, strict=True)]

    def rows(self, step: Step) -> Rows:
        """Return table → a digest of its rows. For a step in parts, most tables have only their number of rows, those
        of the leagues are compared without ids, and the events of the seasons' streams are added."""
        with server() as cursor:
            cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
            names = [name for (name,) in cursor.fetchall() if name not in APART]
            cursor.execute(sql.SQL(" UNION ALL ").join(_digest(name, step) for name in names))
            found = {STREAMS: _streams()} if step.parts else {}
            return {**dict(cursor.fetchall()), **found}


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a process: its exit code, −9 if it was killed, and its number of statements with commits."""

    code: int
    statements: int


@contextmanager
def server() -> Iterator[psycopg.Cursor[Any]]:
    """Open a connection that is independent of Django's, within the block."""
    params = connection.get_connection_params()
    known = {name: params[name] for name in ("dbname", "user", "password", "host", "port") if params.get(name)}
    with psycopg.connect(**known, autocommit=True) as opened, opened.cursor() as cursor:
        yield cursor


def _digest(table: str, step: Step) -> sql.Composed:
    """Return a query for a table's name and a digest, or only the number, of its rows."""
    name = sql.Identifier(table)
    if step.parts and table not in FIGURES:
        return sql.SQL("SELECT {}, count(*)::text FROM {}").format(sql.Literal(table), name)
    ids = ("id",) if table in (*UNNAMED, *step.unnamed) else ()
    left_out = [*BY_THE_CLOCK, *(FIGURES[table] if step.parts else ids)]
    rows = sql.SQL("SELECT (to_jsonb(t) - {}::text[])::text AS row FROM {} t").format(sql.Literal(left_out), name)
    digest = sql.SQL("md5(coalesce(string_agg(row, ',' ORDER BY row), ''))")
    return sql.SQL("SELECT {}, {} FROM ({}) q").format(sql.Literal(table), digest, rows)


def _streams() -> str:
    """Return a digest of the events of all seasons' streams and of the recorded results."""
    seasons = Season.objects.order_by("pk").values_list("stream", flat=True)
    events = sorted(str([_plain(entry.event) for entry in eventlog.read_events(stream)]) for stream in seasons)
    return hashlib.md5("".join(events).encode(), usedforsecurity=False).hexdigest()


def _plain(event: Event) -> Event:
    record = event[3] if event[0] == "game_recorded" else {}
    return [event[0], *(record[name] for name in ("seats", "scores", "placings", "left") if record)]


def _child(step: Step, die_at: int, barrier: Any, count: Any) -> None:
    """Run the step in a process that dies before its statement `die_at`."""
    try:
        _seed_draws(f"{step.name} {os.getpid()}" if step.parts else step.name)  # processes that share a step draw apart
        _reset_sequences()
        barrier.wait()
        with clock.frozen_at(step.at):
            with _dying(die_at, count):
                code = _taken(step)
            notify_people()  # sends what a killed process has not sent
    except BaseException:
        code = FAILED
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(code)


def _taken(step: Step) -> int:
    try:
        step.call()
    except DomainError:
        return REFUSED
    return DONE


def _seed_draws(seed: str) -> None:
    """Derive all random draws of this process from `seed`."""
    drawn = random.Random(seed)
    for module, name in ((os, "urandom"), (random, "_urandom")):
        setattr(module, name, drawn.randbytes)


def _reset_sequences() -> None:
    """Continue all ids after the present rows, as if nothing had been rolled back."""
    with connection.cursor() as cursor:
        cursor.execute(_counters())


@cache
def _counters() -> str:
    """Return the statement that lets all sequences continue after the highest id.

    A join finds the sequences. `pg_get_serial_sequence` fails for tables outside the search path, and PostgreSQL may
    call it before it checks the schema.
    """
    with server() as cursor:
        cursor.execute(
            """
            SELECT format('SELECT setval(%L, greatest(coalesce(max(%I), 0), 1), max(%I) IS NOT NULL) FROM %s',
                          sequence.oid::regclass, attname, attname, attrelid::regclass)
            FROM pg_class AS sequence
            JOIN pg_depend ON objid = sequence.oid AND deptype IN ('a', 'i')
                AND classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass
            JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
            WHERE sequence.relkind = 'S' AND sequence.relnamespace = 'public'::regnamespace
            """
        )
        return "; ".join(statement for (statement,) in cursor.fetchall())


@contextmanager
def _dying(die_at: int, count: Any) -> Iterator[None]:
    """Count statements and commits within the block, and kill this process before number `die_at`."""

    def next_one() -> None:
        if count.value == die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        count.value += 1

    def execute(run: Callable[..., Any], *statement: Any) -> Any:
        next_one()
        return run(*statement)

    commit = connection._commit  # type: ignore[attr-defined]  # what Django calls at the end of a transaction

    def committed() -> None:
        next_one()
        commit()

    connection._commit = committed  # type: ignore[attr-defined]
    with connection.execute_wrapper(execute):
        yield
