"""kombu's transport for PostgreSQL as the broker, with one fault fixed.

With `use_notify`, a process that declares a queue listens to it, and Celery declares a queue before it publishes. A
process that only publishes (the web, beat, a worker's child) never reads the notifications: its connection's buffers
fill, PostgreSQL waits for it without end, keeps all later notifications, and cannot create or drop a database. Here a
process listens only from the moment when it waits for a message. Seen in kombu 5.7.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import pgmq


class PgmqTransport(pgmq.Transport):
    """The transport for `pgmq://` (config.celery)."""

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)  # type: ignore[no-untyped-call]  # kombu is untyped
        self.declared: list[str] = []

    def _register_notify_queue(self, queue_name: str) -> None:
        """Remember the queue, instead of listening as kombu does."""
        self.declared.append(queue_name)

    def _get_notify_waiter(self) -> Any:
        """Listen to the remembered queues. Only `drain_events` calls this, when the process waits for messages."""
        waiter = super()._get_notify_waiter()
        while self.declared:
            waiter.register(self.declared.pop())
        return waiter
