"""The processes of a worker, of which any may be killed while it waits or works without the others ever noticing.

With PostgreSQL as the broker Celery's processes share one pipe from which they take tasks, and one into which they put
results, each behind a lock. One that waits for a task holds the first all the time, and a lock of `billiard` stays
locked when its holder is killed: nobody takes a task any more. These locks the kernel takes back. One that is killed in
the very act of reading a task takes a part of it along, and leaves the others with the rest: see
`config.broker.worker_watchdog`.
"""

from __future__ import annotations

import fcntl
import tempfile
from typing import Any

from celery.concurrency import prefork


class Lock:
    """Between processes forked from the one that made it, one thread of each. Whoever dies holds it no longer."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  as long as the lock

    def acquire(self) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_EX)

    def release(self) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN)

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_error: object) -> None:
        self.release()


class Pool(prefork.TaskPool.BlockingPool):  # type: ignore[misc]  # untyped
    """Billiard's, with such locks at the processes' ends of the pipes."""

    def _setup_queues(self) -> None:
        super()._setup_queues()
        self._inqueue._rlock = Lock()
        self._outqueue._wlock = Lock()


class TaskPool(prefork.TaskPool):  # type: ignore[misc]  # untyped
    """Celery's usual one. Where a broker lets it wait for all at once, as Redis, each process has pipes of its own."""

    BlockingPool: Any = Pool
