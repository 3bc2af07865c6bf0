"""A load balancer before the web processes of a platform. It forwards a connection to any process that accepts it."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

MAX_CHUNK_BYTES = 64 * 1024  # bytes forwarded at a time


async def hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward everything until its end."""
    with suppress(OSError):
        while chunk := await reader.read(MAX_CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
    with suppress(OSError):
        writer.close()


class Balancer:
    """The load balancer at the platform's address. It skips a process that does not run. If a process dies, its
    connections break, as behind any proxy."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.ports = list(ports)
        self.port = 0
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for port in random.sample(self.ports, len(self.ports)):
            try:
                there, back = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                continue
            await asyncio.gather(hand_on(reader, back), hand_on(there, writer))
            return
        writer.close()

    async def _begin(self) -> None:
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()

    def run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.create_task(self._begin())
        self.loop.run_forever()


@contextmanager
def balancing(ports: Sequence[int]) -> Iterator[str]:
    """Run a balancer before these ports within the block, and yield its address."""
    balancer = Balancer(ports)
    thread = threading.Thread(target=balancer.run, daemon=True)
    thread.start()
    balancer.ready.wait()
    try:
        yield balancer.address
    finally:
        balancer.loop.call_soon_threadsafe(balancer.loop.stop)
        thread.join()
