"""Only a process that waits for messages listens to the queue in PostgreSQL. A process that only publishes does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from kombu.connection import Connection

from config.broker.pgmq_schema import install_queue
from config.broker.pgmq_transport import PgmqTransport

connect: Any = Connection  # untyped
QUEUE = "of_a_test"


@pytest.fixture
def broker(transactional_db: None) -> Iterator[Any]:
    """Return a connection to the queue in the test's database, as workers and web processes have it."""
    install_queue()
    params = connection.get_connection_params()
    wanted = {name: params[name] for name in ("host", "port", "dbname", "user", "password") if params.get(name)}
    options = {
        "conn_string": " ".join(f"{name}='{value}'" for name, value in wanted.items()),
        "init_extension": False,
        "use_notify": True,
        "notify_throttle_interval_ms": 0,
        "wait_time_seconds": 0,
    }
    with connect("pgmq://", transport="config.broker.pgmq_transport:PgmqTransport", transport_options=options) as made:
        yield made
    with connection.cursor() as cursor:
        cursor.execute("SELECT pgmq.drop_queue(%s)", [QUEUE])


def listeners() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%%'"
        )
        (found,) = cursor.fetchone()
    return int(found)


def test_who_only_publishes_listens_to_nothing(broker: Any) -> None:
    queue = broker.SimpleQueue(QUEUE)
    queue.put({"n": 1})
    assert listeners() == 0
    assert queue.get(timeout=60).payload == {"n": 1}  # the message exists already, so it needs no notification


def test_who_waits_for_a_message_is_woken_by_it(broker: Any) -> None:
    queue = broker.SimpleQueue(QUEUE)
    with pytest.raises(queue.Empty):
        queue.get(timeout=0.2)
    assert listeners() == 1


def test_the_platform_uses_this_transport() -> None:
    assert connect("pgmq://localhost").get_transport_cls() is PgmqTransport
