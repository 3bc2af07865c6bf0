"""A limit for the time of a step of rules that may never end."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class NeverEnds(BaseException):
    """A step used too much time. Rules that catch `Exception` cannot catch this."""


@contextmanager
def step_limit(seconds: float, *, wall: bool = False) -> Iterator[None]:
    """Raise `NeverEnds` within a block that uses more processor time, or with `wall` takes longer.

    Does nothing where the system has no such clock, or outside the main thread, which alone receives signals. One block
    does not stand within another.
    """
    if sys.platform in ("win32", "emscripten") or threading.current_thread() is not threading.main_thread():
        yield
        return
    clock, number = (signal.ITIMER_REAL, signal.SIGALRM) if wall else (signal.ITIMER_VIRTUAL, signal.SIGVTALRM)
    before = signal.signal(number, _stop)
    signal.setitimer(clock, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(clock, 0)
        signal.signal(number, before)


def _stop(number: int, frame: object) -> None:  # noqa: ARG001  what a handler is given
    raise NeverEnds
