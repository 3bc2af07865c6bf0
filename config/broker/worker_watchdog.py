"""Ends a worker that takes messages but begins no task, so that its supervisor starts another.

Celery hands a task to a process of its pool through a pipe. If that process is killed before it confirms the task, the
task counts as reserved for ever. When a worker has reached its limit of reserved tasks this way, it takes no more
messages and still looks alive. Its end loses nothing: the work is found in the database again, and leases run out.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from celery import bootsteps
from celery.worker import state

logger = logging.getLogger(__name__)

CHECK_INTERVAL_SECONDS: Final = 5.0
PATIENCE_SECONDS: Final = 5.0  # beyond what a new process may take until it is ready; then one begins within moments
EXIT_CODE: Final = 70  # EX_SOFTWARE


def stalled_requests(reserved: Mapping[str, int | None], processes: Collection[int]) -> set[str]:
    """Return the ids of reserved tasks that no process works on although one of `processes` is free.

    `reserved`: task id → the process that confirmed it, or None.
    """
    at_work = {task: process for task, process in reserved.items() if process in processes}
    return set(reserved) - set(at_work) if len(at_work) < len(processes) else set()


class StalledWorkerStep(bootsteps.StartStopStep):  # type: ignore[misc]  # untyped
    """Checks the worker every few seconds."""

    requires = ("celery.worker.components:Pool", "celery.worker.components:Timer")

    def __init__(self, worker: Any, **_options: Any) -> None:  # noqa: ARG002  of the base class
        self.since: dict[str, float] = {}
        self.timer: Any = None

    def start(self, worker: Any) -> None:
        self.timer = worker.timer.call_repeatedly(CHECK_INTERVAL_SECONDS, self.look, (worker,))

    def stop(self, worker: Any) -> None:  # noqa: ARG002  of the base class
        if self.timer:
            self.timer.cancel()

    def look(self, worker: Any) -> None:
        reserved = {request.id: request.worker_pid for request in tuple(state.reserved_requests)}
        processes = [each.pid for each in tuple(worker.pool._pool._pool) if each.is_alive()]
        patience = worker.app.conf.worker_proc_alive_timeout + PATIENCE_SECONDS
        if self.is_stalled(stalled_requests(reserved, processes), patience, time.monotonic()):
            logger.error(
                "No process starts the work that this worker has taken. The worker ends, so that it is restarted."
            )
            os._exit(EXIT_CODE)

    def is_stalled(self, tasks: Iterable[str], patience: float, now: float) -> bool:
        """Return whether one of the waiting tasks has waited for longer than `patience` seconds."""
        self.since = {task: self.since.get(task, now) for task in tasks}
        return any(now - since > patience for since in self.since.values())
