"""Redis as the broker: kombu's transport, with one fault of it mended.

A worker takes no more messages than it may hold at once. kombu counts one as held until Redis has been told that its
task is done; if Redis dies at that very moment, it is counted for ever. With late acknowledgement and one process that
is the only one: the worker stops listening to its queue, so that it never learns that the connection was lost, gives
signs of life and works no more. Found by two hundred kills (`tests.chaos.kills --broker redis`), seen in kombu 5.7.
"""

from __future__ import annotations

from kombu.transport import redis


class QoS(redis.QoS):
    """The messages that this worker holds."""

    def ack(self, delivery_tag: str) -> None:
        """Hold it no longer, even if Redis can't be told; Redis then gives it out again, and the task finds nothing to
        do."""
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        finally:
            self._quick_ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Likewise."""
        try:
            super().reject(delivery_tag, requeue=requeue)  # type: ignore[no-untyped-call]
        finally:
            self._quick_ack(delivery_tag)


class Channel(redis.Channel):
    """Counts so."""

    QoS = QoS


class RedisTransport(redis.Transport):
    """What `CELERY_BROKER_TRANSPORT` names."""

    Channel = Channel
