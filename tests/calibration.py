"""The unit in which tests are measured: what a fixed piece of work costs at that moment, on that machine.

The work is a loop of Python and some statements of PostgreSQL. It is the same for ever and uses nothing of the product,
so a test that costs 40 units costs about 40 units on every machine, quiet or busy.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import psycopg
from django.db import connection

from tests.servers.database_url import database_url

EVERY = 10.0  # CPU seconds of a process between two calibrations
ROUNDS = 100_000  # of the loop
ROWS = 24_000  # that the server sorts
LOOK_UPS = 150
SORT = "SELECT count(*) FROM (SELECT md5(n::text) AS word FROM generate_series(1, %s) AS n ORDER BY word) AS words"
LOOK_UP = "SELECT relname, relkind FROM pg_class WHERE oid = %s::regclass"


class Server:
    """What PostgreSQL used for connections of this process: CPU seconds that only go on. A server on another machine
    counts nothing."""

    def __init__(self) -> None:
        self.counted = 0.0
        self.last: dict[int, float] = {}

    def used(self) -> float:
        """Return the seconds so far, with those of Django's connection."""
        if (open_now := connection.connection) is not None and not open_now.closed:
            self.count(open_now.info.backend_pid)
        return self.counted

    def count(self, pid: int) -> None:
        now = cpu_seconds_of(pid)
        self.counted += max(now - self.last.get(pid, 0.0), 0.0)
        self.last[pid] = now


class Calibration:
    """Measures one unit now and then."""

    def __init__(self) -> None:
        self.unit = 0.0  # CPU seconds of the last calibration
        self.units: list[float] = []
        self.due = 0.0
        self.connection: psycopg.Connection | None = None

    def refresh(self) -> None:
        """Measure the unit again if the last time was long ago."""
        if time.process_time() >= self.due:
            self.unit = self.measure()
            self.units.append(self.unit)
            self.due = time.process_time() + EVERY

    def measure(self) -> float:
        """Do the work; return its CPU seconds in this process and in the server."""
        if self.connection is None:
            address = database_url({**connection.settings_dict, "NAME": "postgres"})
            self.connection = psycopg.connect(address, autocommit=True)
            self.work()  # what is done first has to load and plan
        pid = self.connection.info.backend_pid
        began, server_began = time.process_time(), cpu_seconds_of(pid)
        self.work()
        return time.process_time() - began + cpu_seconds_of(pid) - server_began

    def close(self) -> None:
        """Close the connection; the next measurement opens another."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def work(self) -> None:
        assert self.connection is not None
        counted: dict[str, int] = {}
        for number in range(ROUNDS):
            key = f"{number % 977}"
            counted[key] = counted.get(key, 0) + len(key)
        assert len(sorted(counted.items(), key=lambda row: (row[1], row[0]))) == 977
        with self.connection.cursor() as cursor:
            cursor.execute(SORT, [ROWS])
            for _number in range(LOOK_UPS):
                cursor.execute(LOOK_UP, ["pg_class"])
                cursor.fetchone()


def cpu_seconds_of(pid: int) -> float:
    """Return the CPU seconds of a process of this machine with one thread; 0 if there is none that may be read."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def used() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])
