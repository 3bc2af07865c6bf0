"""What every test needs. Fixtures of one area live in the conftest.py of its folder."""

from __future__ import annotations

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
