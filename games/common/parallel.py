"""Bulk work on many rows or streams, done by several processes.

The processes are forked, because a new interpreter would import everything again. Each has its own connection to the
database. With `snapshot`, all of them read what the transaction of the caller reads, which must be repeatable.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
from argparse import ArgumentParser, ArgumentTypeError
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from typing import Final, TypeVar

from django.db import connection, transaction

TASKS_AHEAD: Final = 3  # tasks waiting, for each process
GARBAGE_THRESHOLD: Final = 100_000  # new objects after which a process looks for garbage
PR_SET_PDEATHSIG: Final = 1
IMPORT_SNAPSHOT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET TRANSACTION SNAPSHOT %s"

Task = TypeVar("Task")
Result = TypeVar("Result")


def add_argument(parser: ArgumentParser) -> None:
    """Add the option `--processes` to a command."""
    cores = len(os.sched_getaffinity(0))
    parser.add_argument(
        "--processes", type=_count, default=cores, help="processes that work on it; the result is the same"
    )


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise ArgumentTypeError("use one process or more: --processes 2")
    return int(text)


def in_order(
    work: Callable[[Task], Result], tasks: Iterable[Task], *, processes: int = 1, snapshot: bool = False
) -> Iterator[Result]:
    """Yield `work(task)` for each task, in order. One process, or a single task, needs no other processes.

    `tasks` is read as they are needed. `work` is a function of a module. Nothing of a caller's transaction is seen by
    the other processes unless it is committed, or its `snapshot` is shared. They end if this process is killed.
    """
    waiting = iter(tasks)
    first = list(islice(waiting, 2))
    if processes == 1 or len(first) < 2:
        yield from map(work, chain(first, waiting))
        return
    name = _exported_snapshot() if snapshot else ""
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(processes, context, initializer=_begin, initargs=(os.getpid(), name))
    try:
        under_way: deque[Future[Result]] = deque()
        for task in chain(first, waiting):
            under_way.append(pool.submit(work, task))
            if len(under_way) > processes * TASKS_AHEAD:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _exported_snapshot() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_export_snapshot()")
        return str(cursor.fetchone()[0])


def collect_rarely() -> None:
    """Let a new process look for garbage rarely. Bulk work makes many objects, lets go of them by itself, and leaves
    hardly any cycles; to look for them after every 700 objects takes a tenth of its time."""
    gc.set_threshold(GARBAGE_THRESHOLD)


def _begin(parent: int, snapshot: str) -> None:
    """Prepare a new process: it gets a connection of its own, and ends with its parent."""
    collect_rarely()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    # The inherited connection is the parent's: it is forgotten, not closed, which would end the parent's session.
    connection.connection = None
    connection.connect()
    if snapshot:
        transaction.atomic().__enter__()  # until the process ends
        with connection.cursor() as cursor:
            cursor.execute(IMPORT_SNAPSHOT, [snapshot])
