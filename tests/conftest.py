"""Fixtures that every test needs. Fixtures of one area are in the conftest.py of its folder."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.mfa.totp.internal import auth as totp
from django.core.cache import caches
from django.core.management.commands import flush
from django.db import OperationalError, connection, transaction
from django.db.backends.postgresql.operations import DatabaseOperations
from django.template import Context, RequestContext, Template
from django.test import override_settings
from django.test.signals import template_rendered
from django.utils import translation
from django.utils.safestring import SafeString
from hypothesis import HealthCheck, settings
from psycopg.errors import DeadlockDetected

from config.celery import app
from config.http.static_files import StaticFilesMiddleware
from games.common import disk_full, page_cache, rate_limits
from games.sandbox import self_check
from games.workers import kept_processes, runner
from replays.frames import frame_cache
from scorebook_games.bots.builtin import BUILTIN_BOTS, SearchBot
from scorebook_games.search import general
from scorebook_games.search.guide import Guide
from tests import closing_lines
from tests.fixtures.clients import checked_for_csrf, logged_in_quickly
from tests.fixtures.saved_rows import SAME_FOR_ALL
from tests.parameters import leave_the_rest_to_all
from tests.servers import databases
from tests.servers.web import OPEN_SOCKETS, Web, forked_web

# A busy machine must not fail an example. Examples are the same in each run by default, and new ones with `--all`.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", UNHURRIED, derandomize=True, max_examples=25)
settings.register_profile("all", UNHURRIED, max_examples=200)
settings.load_profile("default")

# The triggers that protect the log. The owner disables them for the flush, in its transaction.
LOG_TRIGGERS = {
    "batch": ("batch_is_append_only", "batch_is_not_truncated"),
    "stream": ("stream_is_not_deleted", "stream_is_not_truncated"),
    "admin_actions_adminaction": ("admin_action_is_append_only", "admin_action_is_not_truncated"),
    "seasons_organiseraction": ("organiser_action_is_append_only", "organiser_action_is_not_truncated"),
}
assert isinstance(BUILTIN_BOTS["strong"], SearchBot)
GUIDES: dict[type[Guide], int] = {type(guide): guide.iterations for guide in BUILTIN_BOTS["strong"].guides.values()}
CACHE = "cache"  # a table without a model
LITTLE = 8  # games that the strong bot tries before a move
MUCH = 8 * 1024 * 1024  # bytes in all tables together from which TRUNCATE is the faster flush


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any) -> Iterator[None]:
    """Replace pytest-django's fixture, which would migrate a database in each process."""
    with django_db_blocker.unblock(), databases.of_this_process(), django_db_blocker.block():
        yield


@pytest.fixture(autouse=True, scope="session")
def flush_is_quick_and_may_empty_the_log() -> Iterator[None]:
    """Flush the database by DELETE if it holds little, under the locks of TRUNCATE. Django uses TRUNCATE, which the
    log's triggers refuse, and which makes new files for every table and index. Rows that Django writes into every
    database are kept: writing them again would take three times as long."""
    execute = DatabaseOperations.execute_sql_flush

    def statements(self: DatabaseOperations, _style: Any, every: Sequence[str], **_options: bool) -> list[str]:
        tables = [table for table in every if table not in SAME_FOR_ALL]
        named = [self.quote_name(table) for table in tables]
        triggers = [(table, name) for table, names in LOG_TRIGGERS.items() if table in tables for name in names]
        return [
            f"LOCK TABLE {', '.join(named)} IN ACCESS EXCLUSIVE MODE",
            *[f"ALTER TABLE {table} DISABLE TRIGGER {name}" for table, name in triggers],
            *([f"TRUNCATE {', '.join(named)}"] if is_much(tables) else [f"DELETE FROM {table}" for table in named]),
            f"DELETE FROM {CACHE}",
            "DROP SCHEMA IF EXISTS pgmq CASCADE",  # a test may have installed the queue, which pages would show
            "SET CONSTRAINTS ALL IMMEDIATE",
            *[f"ALTER TABLE {table} ENABLE TRIGGER {name}" for table, name in triggers],
        ]

    def execute_when_others_are_done(self: DatabaseOperations, sql_list: list[str]) -> None:
        wait_until_nobody_else_is_at_it()
        try:
            execute(self, ["; ".join(sql_list)])
        except OperationalError as error:
            # Another connection may have begun a transaction meanwhile; waiting for it here could deadlock.
            if not isinstance(error.__cause__, DeadlockDetected):
                raise
            wait_until_nobody_else_is_at_it()
            execute(self, ["; ".join(sql_list)])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", statements)
        patch.setattr(DatabaseOperations, "execute_sql_flush", execute_when_others_are_done)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_arguments, **_options: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def a_test_may_think_within_its_transaction() -> Iterator[None]:
    """Let the database not end an idle transaction of this process. A worker asks for that when it plays games; here it
    would go on to hold for all later tests of the process, whose transaction is as long as the test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "_limit_idle_transactions", lambda: None)
        yield


def wait_until_nobody_else_is_at_it() -> None:
    """Wait until no other connection to this database is in a transaction, at most ten seconds. The server may still be
    answering a request of the test."""
    ends = time.monotonic() + 10
    with connection.cursor() as cursor:
        while time.monotonic() < ends:
            cursor.execute("SELECT pg_stat_clear_snapshot()")  # within a transaction the view does not change
            cursor.execute(
                "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()"
                " AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND xact_start IS NOT NULL)"
            )
            if cursor.fetchone() == (False,):
                return
            time.sleep(0.01)


def is_much(tables: Sequence[str]) -> bool:
    """Return whether the tables hold more than a row-by-row delete should handle."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(pg_relation_size(name::regclass)) FROM unnest(%s::text[]) AS name", [list(tables)])
        (size,) = cursor.fetchone()
    return bool(size and size > MUCH)


@pytest.fixture(autouse=True)
def caches_in_memory_are_empty() -> None:
    """Empty the caches of frames and of rendered pages, which use ids of logs that repeat in other tests, and forget
    requests that were counted in advance."""
    rate_limits.forget_advances()
    frame_cache._builders.clear()
    frame_cache._checkpoints.clear()
    frame_cache._movers.clear()
    caches[page_cache.CACHE].clear()


@pytest.fixture(autouse=True)
def the_language_of_a_request_ends_with_its_test() -> Iterator[None]:
    """Reset the language. Django keeps the language of the last request in a thread."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True, scope="session")
def passwords_cost_nothing() -> Iterator[None]:
    """Use a quick password hash. The usual one is slow on purpose (`test_signing_in` checks it)."""
    with override_settings(PASSWORD_HASHERS=["tests.fixtures.password_hasher.Quick"]):
        yield


@pytest.fixture(autouse=True, scope="session")
def browsers_are_checked_for_csrf() -> Iterator[None]:
    """Let every test client send a CSRF token and be checked, for pages and API alike."""
    with checked_for_csrf(), logged_in_quickly():
        yield


@pytest.fixture(autouse=True, scope="session")
def only_whole_pages_are_reported(django_test_environment: None) -> Iterator[None]:
    """Let a response have the context of its page alone. Django copies those of all templates that a page includes and
    of each field of a form, which took a tenth of a page's time."""

    def render(self: Template, context: Context) -> SafeString:
        if isinstance(context, RequestContext) and context.template is self:
            template_rendered.send(sender=self, template=self, context=context)
        return self.nodelist.render(context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "_render", render)
        yield


@pytest.fixture(autouse=True, scope="session")
def strong_thinks_little() -> Iterator[None]:
    """Let the strong bot try few games before a move: that is most of the time of an admission. Tests of its strength
    use `strong_thinks_fully`."""
    with thinking(dict.fromkeys(GUIDES, LITTLE)), pytest.MonkeyPatch.context() as patch:
        patch.setattr(general, "MAKING", 50 * LITTLE)
        patch.setattr(general, "PLAYING", 10 * LITTLE)
        patch.setattr(general, "WORLDS", 2)
        yield


@pytest.fixture(scope="module")
def strong_thinks_fully(strong_thinks_little: None) -> Iterator[None]:
    with thinking(GUIDES):
        yield


@contextmanager
def thinking(iterations: Mapping[type[Guide], int]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for guide, number in iterations.items():
            patch.setattr(guide, "iterations", number)
        yield


@pytest.fixture(autouse=True, scope="session")
def static_files_are_looked_for_once() -> Iterator[None]:
    """Look up static files once. Otherwise each test client's middleware would scan the folders of all packages."""
    find = StaticFilesMiddleware.add_files_from_finders
    found: dict[str, Any] = {}

    def once(self: StaticFilesMiddleware) -> None:
        if not found:
            find(self)
            found.update(self.files)
        self.files = {**self.files, **found}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StaticFilesMiddleware, "add_files_from_finders", once)
        yield


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Keep the rows of a file's fixtures for all its tests, within one transaction. Each test still undoes its own
    changes. For files without transactional tests."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def no_full_disk_met() -> Iterator[None]:
    """Reset what this process remembers of a full disk, before and after the test."""
    disk_full.process_state.met = disk_full.process_state.recorded_at = None
    yield
    disk_full.process_state.met = disk_full.process_state.recorded_at = None


@pytest.fixture
def code_now(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Return the code that an authenticator app shows (RFC 6238). The test's clock stands still, so a code stays valid
    for the rest of its 30 seconds."""
    began = time.time()
    monkeypatch.setattr(totp, "time", SimpleNamespace(time=lambda: began))
    return lambda secret: totp.format_hotp_value(totp.hotp_value(secret, next(totp.yield_hotp_counters_from_time())))


@pytest.fixture(scope="module")
def web(django_db_setup: None) -> Iterator[Web]:
    """Return a web process for the tests of one file, which must not change it."""
    with forked_web() as started:
        yield started


@pytest.fixture(autouse=True, scope="session")
def messages_stay_here() -> None:
    """Send the messages that wake workers to a broker in memory, never to the developer's own queue."""
    app.conf.broker_url = "memory://localhost"
    app.conf.broker_transport_options = {}


@pytest.fixture(autouse=True, scope="session")
def nothing_is_left_open() -> Iterator[None]:
    """Close the bots, sandboxes and reserved ports of this process after its tests. A worker keeps them for its
    lifetime."""
    yield
    for game, seat in list(kept_processes._kept_processes):
        kept_processes.drop(game, seat)
    for zygote in self_check._knowledge().zygotes.values():
        zygote.close()
    for held in OPEN_SOCKETS:
        held.close()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Leave cases to `--all`, and sort the tests, after all other plug-ins. Browser tests come last, because the first
    one leaves an event loop in its process (tests/browser/conftest.py). Tests that mostly wait come first, so that they
    run beside busy ones."""
    leave_the_rest_to_all(items)
    yield
    browsers = {item.path for item in items if item.get_closest_marker("browser")}
    waiting = {item.path for item in items if any(map(item.get_closest_marker, ("worker", "long")))}
    if config.getoption("failedfirst", default=False):
        waiting = set()
    items.sort(key=lambda item: (item.path in browsers, item.path not in waiting))


def pytest_configure() -> None:
    """Freeze what was imported and collected. Python's garbage collector took a fifth of this time."""
    gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Freeze what was imported and collected until the end. Python's garbage collector would scan it again and again,
    which took a tenth of the CPU time."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(100_000, 10, 10)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    closing_lines.print_closing_lines(terminalreporter)
