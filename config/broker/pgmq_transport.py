"""PostgreSQL as the broker: kombu's transport, with one fault of it mended.

With `use_notify` whoever declares a queue listens to it, and Celery declares one before it publishes. A process that
only publishes (the web, beat, a worker's child) never reads what it is told: its connection's buffers fill, PostgreSQL
then waits for it for ever, can drop or create no database meanwhile, and keeps every notification since. Here a process
listens from the moment on when it waits for a message. Seen in kombu 5.7.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import pgmq


class PgmqTransport(pgmq.Transport):
    """What `pgmq://` stands for (config.celery)."""

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)  # type: ignore[no-untyped-call]  # kombu is untyped
        self.declared: list[str] = []

    def _register_notify_queue(self, queue_name: str) -> None:
        """kombu would listen here; the queue is only remembered."""
        self.declared.append(queue_name)

    def _get_notify_waiter(self) -> Any:
        """Called by `drain_events` alone: this process waits for messages."""
        waiter = super()._get_notify_waiter()
        while self.declared:
            waiter.register(self.declared.pop())
        return waiter
