"""What every test needs. Fixtures of one area live in the conftest.py of its folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import OperationalError
from django.db.backends.postgresql.operations import DatabaseOperations
from psycopg.errors import DeadlockDetected

from config.celery import app

LOG_TRIGGERS = {"batch": "batch_is_not_truncated", "stream": "stream_is_not_truncated"}


@pytest.fixture(autouse=True, scope="session")
def flush_may_truncate_the_log() -> Iterator[None]:
    """Django flushes the database after a transactional test by TRUNCATE, which the log's triggers refuse.

    They are lifted by the owner within the flush's own transaction and are back before it ends.
    """
    flush = DatabaseOperations.execute_sql_flush

    def flush_with_triggers_lifted(self: DatabaseOperations, sql_list: list[str]) -> None:
        lifted = [f"ALTER TABLE {table} DISABLE TRIGGER {name}" for table, name in LOG_TRIGGERS.items()]
        put_back = [f"ALTER TABLE {table} ENABLE TRIGGER {name}" for table, name in LOG_TRIGGERS.items()]
        statements = [*lifted, *sql_list, *put_back] if sql_list else []
        try:
            flush(self, statements)
        except OperationalError as error:
            # A process that the test has just ended may still be in its last query, and hold what this waits for.
            if not isinstance(error.__cause__, DeadlockDetected):
                raise
            flush(self, statements)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "execute_sql_flush", flush_with_triggers_lifted)
        yield


@pytest.fixture(autouse=True, scope="session")
def messages_stay_here() -> None:
    """What hurries workers goes to a broker in memory, never to the queue of the developer's own database."""
    app.conf.broker_url = "memory://localhost"
    app.conf.broker_transport_options = {}


ATTACK = "tests/sandbox/test_attacks.py::test_an_attack_comes_to_what_it_should["


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What came of the attacks on the sandbox, where any were made: in one line, and by name those that got through."""
    came: dict[str, list[str]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        reports = terminalreporter.getreports(outcome)
        came[outcome] = [each.nodeid.removeprefix(ATTACK)[:-1] for each in reports if each.nodeid.startswith(ATTACK)]
    if any(came.values()):
        for line in attack_lines(came):
            terminalreporter.write_line(line)


def attack_lines(came: dict[str, list[str]]) -> list[str]:
    """How many attacks there were of each group and what came of them; `came` is outcome → "group: name" of each."""
    through = [*came["failed"], *came["error"]]
    groups = Counter(name.partition(":")[0] for name in came["passed"])
    listed = ", ".join(f"{group} {count}" for group, count in sorted(groups.items()))
    made = len(came["passed"]) + len(through)
    held = "all held" if not through else f"{len(through)} NOT HELD: {', '.join(through)}"
    lines = [f"{made} attacks on the sandbox, {held} ({listed})"] if made else []
    skipped = f"NO SANDBOX HERE: {len(came['skipped'])} attacks were not made"
    return [*lines, skipped] if came["skipped"] else lines
