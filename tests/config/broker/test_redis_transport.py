"""If Redis dies while a worker reports a finished task, the worker continues to listen and so notices it."""

from __future__ import annotations

import logging
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socket import SHUT_RDWR, socket
from typing import Any, Final

import pytest
from kombu.connection import Connection
from kombu.message import Message

connect: Any = Connection  # untyped, as is the next one
held: Any = Message
quiet = logging.getLogger("tests.redis_broker")
quiet.disabled = True


ANSWERS: Final = {b"HELLO": b"%1\r\n+proto\r\n:3\r\n", b"PING": b"+PONG\r\n"}


class Polite(socketserver.StreamRequestHandler):
    """A server that speaks as much of Redis' protocol (RESP, redis.io/docs) as a client needs to connect."""

    cut: Final[list[socket]] = []

    def handle(self) -> None:
        self.cut.append(self.connection)
        while head := self.rfile.readline():
            lines = [self.rfile.readline().strip() for _line in range(2 * int(head[1:]))]
            self.wfile.write(ANSWERS.get(lines[1], b"+OK\r\n"))


@contextmanager
def listening() -> Iterator[str]:
    """Run a server within the block, and yield its address. At the end of the block the server dies."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Polite) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        yield f"redis://127.0.0.1:{server.server_address[1]}/0"
        server.shutdown()
    while Polite.cut:
        Polite.cut.pop().shutdown(SHUT_RDWR)


@pytest.mark.parametrize("sentence", ["done", "given back"])
def test_a_message_counts_as_held_no_longer_though_redis_could_not_be_told(sentence: str) -> None:
    with listening() as address:
        connection = connect(address, transport="config.broker.redis_transport:RedisTransport")
        channel = connection.default_channel
        channel.basic_qos(0, 1, False)
        message = held(channel=channel, delivery_tag="7")
        channel.qos._quick_append("7", message)
        assert not channel.qos.can_consume()
    if sentence == "done":
        message.ack_log_error(quiet, connection.connection_errors)
    else:
        message.reject_log_error(quiet, connection.connection_errors)
    assert channel.qos.can_consume()
