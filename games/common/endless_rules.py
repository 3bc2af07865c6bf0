"""Stops rules that never come to an end in a web process, whose threads no signal reaches.

Requests and streams run within `rules_limit`. A thread looks at them every second. If one has used too much time of the
processor and is in the code of a kind, the thread raises `NeverEnds` in it, and the kind is left out of this process
(`KINDS.broken`) until the process is started again. So the games of other kinds go on. A request that is fast pays for
two clocks and an entry in a dictionary, a few microseconds. Workers stop rules themselves (`games.workers.runner`).

Only rules in Python are stopped. Those that wait, or loop inside a C library, keep their thread.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from django.db import Error, connection

from games.common import clock, incidents
from games.common.errors import DomainError
from games.common.models import Incident
from scorebook_games.kind import Kind
from scorebook_games.presentation.coded_text import plain
from scorebook_games.registry import KINDS, MEND, missing
from scorebook_games.step_limit import NeverEnds

logger = logging.getLogger(__name__)

LIMIT_SECONDS = 10.0  # of the processor, for one request or one piece of a stream
LOOK_SECONDS = 1.0


@dataclass(eq=False)
class Block:
    """A block within `rules_limit`: its thread, the clocks at its beginning, and the kind whose rules were stopped."""

    thread: int = field(default_factory=threading.get_ident)
    began: float = field(default_factory=time.monotonic)
    computed: float = field(default_factory=time.thread_time)
    stopped: str = ""


class Watch:
    """Looks at the blocks that run in this process."""

    def __init__(self) -> None:
        self.blocks: dict[int, Block] = {}
        self.left_out: dict[str, Kind] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def enter(self, block: Block) -> None:
        """Begin to watch a block. The thread that looks does not outlive a fork, so it is started when it is needed."""
        self.blocks[block.thread] = block
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._look_on, name="endless rules", daemon=True)
            self._thread.start()

    def leave(self, block: Block) -> None:
        """Stop watching the block of this thread, and let an exception arrive that is on its way. Can be called twice.

        An exception is not taken back: Python 3.11 would go on looking for it, and a profiled call would never end.
        """
        with self._lock:
            self.blocks.pop(block.thread, None)
        if block.stopped:
            with suppress(NeverEnds):
                for _ in range(2):  # Python raises such an exception when it repeats a loop
                    pass

    def _look_on(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            for block in list(self.blocks.values()):
                if time.monotonic() - block.began >= LOOK_SECONDS:
                    self._look_at(block)

    def _look_at(self, block: Block) -> None:
        """Stop a block in which the rules of a kind never end, or are in a loop that was already found in another."""
        with self._lock:
            if self.blocks.get(block.thread) is not block:
                return
            late = computed(block.thread) - block.computed >= LIMIT_SECONDS
            if not late and not self.left_out:
                return
            kind = self._kind_in(sys._current_frames().get(block.thread))
            if kind and (late or kind in self.left_out):
                self._leave_out(kind)
                block.stopped = kind
                error = ctypes.py_object(NeverEnds)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(block.thread), error)

    def _kind_in(self, frame: FrameType | None) -> str:
        """Return the kind whose code a thread is in; if it uses code of another kind, the one that was called first."""
        places = {name: places_of(kind) for name, kind in [*KINDS.items(), *self.left_out.items()]}
        found = ""
        while frame:
            file = frame.f_code.co_filename
            found = next((name for name, where in places.items() if file.startswith(where)), found)
            frame = frame.f_back
        return found

    def _leave_out(self, kind: str) -> None:
        """Leave a kind out of this process, unless there is no other."""
        if kind in KINDS and kind not in KINDS.broken:
            KINDS.broken[kind] = (
                f"The rules of {KINDS[kind].spec.title} did not come to an end within {LIMIT_SECONDS:g} s of the "
                f"processor in a web process, which leaves its games alone. {MEND} Then start the processes again."
            )
            logger.error("%s", KINDS.broken[kind])
        if kind in KINDS and len(KINDS) > 1:
            self.left_out[kind] = KINDS.pop(kind)


watch: Final = Watch()


def computed(thread: int) -> float:
    """Return the time of the processor that a living thread has used; where the system cannot tell, the time of day."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic()
    return time.clock_gettime(time.pthread_getcpuclockid(thread))


def places_of(kind: Kind) -> tuple[str, ...]:
    """Return how the file names of a kind's code begin."""
    rules = sys.modules.get(type(kind.rules).__module__)
    return tuple(filter(None, [f"{kind.folder}{os.sep}", getattr(rules, "__file__", None)]))


def kind_hangs_error(kind: str) -> DomainError:
    """Return the refusal for a request whose rules were stopped."""
    return DomainError(503, "kind_hangs", missing(kind))


@contextmanager
def rules_limit(kind: str = "") -> Iterator[None]:
    """Stop rules that never end within the block. Raises `DomainError` kind_hangs (503), at once if the rules of `kind`
    were stopped before.

    One block does not stand within another.
    """
    if kind in watch.left_out:
        raise kind_hangs_error(kind)
    block = Block()
    try:
        try:
            watch.enter(block)
            yield
        finally:
            watch.leave(block)
    except NeverEnds:
        watch.leave(block)  # the exception may have come while the block was left
        record_where_it_is_allowed(block.stopped, traceback.format_exc())
        raise kind_hangs_error(block.stopped) from None


def record_where_it_is_allowed(kind: str, detail: str) -> None:
    """Record an incident; in another thread if this one runs an event loop, which must not wait for the database."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        record(kind, detail)
    else:
        loop.run_in_executor(None, record_and_close, kind, detail)


def record(kind: str, detail: str) -> None:
    """Record that the rules of a kind were stopped."""
    sentences = plain([incidents.rules_hang_in_web(kind, LIMIT_SECONDS)])
    with suppress(Error):  # it is in the log, too
        Incident.objects.create(at=clock.now(), cause=Incident.Cause.INFRASTRUCTURE, sentences=sentences, detail=detail)


def record_and_close(kind: str, detail: str) -> None:
    """Record it in a thread that keeps no connection."""
    try:
        record(kind, detail)
    finally:
        connection.close()
