"""The processes of a worker, any of which may be killed at any moment without affecting the others.

With PostgreSQL as the broker, Celery's processes share one pipe for tasks and one for results, each behind a lock. A
process that waits for a task holds the first lock all the time, and `billiard`'s lock stays locked if its holder is
killed: no process gets a task any more. The locks here are released by the kernel. A process killed while it reads a
task takes part of it along and leaves the rest in the pipe: see `config.broker.worker_watchdog`.
"""

from __future__ import annotations

import fcntl
import gc
import tempfile
from typing import Any, Final

from celery.concurrency import prefork

NEW_OBJECTS: Final = 5_000  # objects that can be part of a cycle; many more leave the processor's cache before a search


class Lock:
    """A lock between processes forked from its creator, for one thread in each. The kernel releases it when its holder
    dies."""

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
    """Billiard's pool with these locks at the processes' ends of the pipes."""

    def _setup_queues(self) -> None:
        super()._setup_queues()
        self._inqueue._rlock = Lock()
        self._outqueue._wlock = Lock()


class TaskPool(prefork.TaskPool):  # type: ignore[misc]  # untyped
    """Celery's usual pool with `Pool`. With brokers that can wait for all processes at once, like Redis, each process
    has its own pipes."""

    BlockingPool: Any = Pool

    def on_start(self) -> None:
        """Start the processes, which share the memory of everything that was imported."""
        search_garbage_rarely()
        super().on_start()


def search_garbage_rarely() -> None:
    """Leave all present objects out of Python's searches for garbage, which took a tenth of a game's time, and let it
    search for it less often: many games that are played together have many objects that are no garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)
