"""kombu's transport for Redis as the broker, with one fault fixed.

A worker takes only as many messages as it may hold at once. kombu counts a message as held until Redis has acknowledged
its end; if Redis dies at that moment, it is counted for ever. With late acknowledgement and a single process, the
worker then stops listening to its queue, never notices the lost connection, sends heartbeats and does no more work.
Found by two hundred kills (`tests.chaos.kills --broker redis`), seen in kombu 5.7.
"""

from __future__ import annotations

from kombu.transport import redis


class QoS(redis.QoS):
    """The messages that this worker holds."""

    def ack(self, delivery_tag: str) -> None:
        """Release a message even if Redis cannot be told. Redis then delivers it again, and the task finds nothing to
        do."""
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        finally:
            self._quick_ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Release a message even if Redis cannot be told."""
        try:
            super().reject(delivery_tag, requeue=requeue)  # type: ignore[no-untyped-call]
        finally:
            self._quick_ack(delivery_tag)


class Channel(redis.Channel):
    """A channel that counts messages with `QoS`."""

    QoS = QoS


class RedisTransport(redis.Transport):
    """The transport that `CELERY_BROKER_TRANSPORT` names."""

    Channel = Channel
