"""Watches live games with many connections in one small process. It records only when each version arrived.

    python -m tests.bench.crowd PORT WATCHERS GAME…

The kernel says when bytes arrived at a watcher's socket (SO_TIMESTAMPNS, socket(7)), even if this process was busy
then. The process also records when it read them. The difference is the lag of this process and not of the web.

It prints `all` when every watcher has received the first event. It reads commands from its input: after `again 10` the
next ten watchers disconnect and reconnect with `Last-Event-ID`. After `end` it prints, as JSON, what each watcher
received, as a list of [version, time at the socket, time of reading] (seconds of the machine's clock), and how often
the server ended a stream.
"""

from __future__ import annotations

import gc
import json
import select
import socket
import struct
import sys
import time
from collections.abc import Sequence
from typing import Final

STAMPS: Final = getattr(socket, "SO_TIMESTAMPNS", 35)
STAMP: Final = struct.Struct("ll")  # a timespec: seconds and nanoseconds
AT_MOST: Final = 1 << 20
FIRST: Final = b"event: game"

Had = tuple[int, float, float]


class Watcher:
    """A watcher, with the versions that it received and when."""

    def __init__(self, game: str, port: int) -> None:
        self.game, self.port = game, port
        self.had: list[Had] = []
        self.begun = False

    def open(self) -> None:
        """Connect, and request all events after the last one that was received."""
        self.rest = b""
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.socket.setsockopt(socket.SOL_SOCKET, STAMPS, 1)
        resume = f"Last-Event-ID: {self.had[-1][0]}\r\n" if self.had else ""
        head = f"GET /api/v1/games/{self.game}/events/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
        self.socket.sendall(f"{head}{resume}\r\n".encode())

    def take(self, chunk: bytes, arrived: float, now: float) -> None:
        """Record the versions in the bytes that were read."""
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        self.had += [(int(line[4:]), arrived, now) for line in lines if line.startswith(b"id: ")]
        self.begun = self.begun or any(line.startswith(FIRST) for line in lines)


class Crowd:
    """All watchers, and the loop that reads their sockets."""

    def __init__(self, port: int, count: int, games: Sequence[str]) -> None:
        self.watchers = [Watcher(games[place % len(games)], port) for place in range(count)]
        self.open: dict[int, Watcher] = {}
        self.poll = select.epoll()
        self.cut = self.back = 0

    def come(self, watcher: Watcher) -> None:
        watcher.open()
        self.open[watcher.socket.fileno()] = watcher
        self.poll.register(watcher.socket, select.EPOLLIN)

    def go(self, watcher: Watcher) -> None:
        self.poll.unregister(watcher.socket)
        del self.open[watcher.socket.fileno()]
        watcher.socket.close()

    def again(self, count: int) -> None:
        """Let the next `count` watchers disconnect and reconnect."""
        for watcher in self.watchers[self.back : self.back + count]:
            if watcher.socket.fileno() in self.open:
                self.go(watcher)
            self.come(watcher)
        self.back += count

    def read(self) -> bool:
        """Read from all sockets with data, then parse it. Return whether there is a command."""
        taken, asked = [], False
        for fd, _event in self.poll.poll():
            if fd == 0:
                asked = True
                continue
            watcher = self.open[fd]
            chunk, stamps, _flags, _address = watcher.socket.recvmsg(AT_MOST, 64)
            taken.append((watcher, chunk, stamps, time.time()))
        for watcher, chunk, stamps, now in taken:
            if not chunk:
                self.cut += 1
                self.go(watcher)
            watcher.take(chunk, stamped(stamps) or now, now)
        return asked

    def watch(self) -> None:
        """Connect all watchers, and read until the command `end`."""
        for watcher in self.watchers:
            self.come(watcher)
        while not all(watcher.begun for watcher in self.watchers):
            self.read()
        print("all", flush=True)
        self.poll.register(0, select.EPOLLIN)
        while True:
            if self.read():
                what, *count = sys.stdin.readline().split()
                if what == "end":
                    break
                self.again(int(count[0]))
        json.dump({"had": [watcher.had for watcher in self.watchers], "cut": self.cut}, sys.stdout)


def stamped(stamps: Sequence[tuple[int, int, bytes]]) -> float | None:
    """Return when the last of these bytes arrived at the socket, or None if the kernel did not record it."""
    for level, kind, data in stamps:
        if (level, kind) == (socket.SOL_SOCKET, STAMPS):
            seconds, billionths = STAMP.unpack(data[: STAMP.size])
            return float(seconds + billionths / 1e9)
    return None


if __name__ == "__main__":
    gc.disable()  # a collection would stop all watchers together
    Crowd(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]).watch()
