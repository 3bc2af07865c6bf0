"""Ends a web process after SIGTERM: it is no longer ready, live streams move elsewhere, and running requests are
answered.

With SCOREBOOK_DRAIN_SECONDS it takes requests for so many seconds more, until proxies have noticed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final

from django.core.exceptions import ImproperlyConfigured

DRAIN_VARIABLE: Final = "SCOREBOOK_DRAIN_SECONDS"


def drain_seconds() -> float:
    """Return for how many seconds an ending process still takes requests. Raises ImproperlyConfigured for other
    values."""
    given = os.environ.get(DRAIN_VARIABLE) or "0"
    try:
        wanted = float(given)
    except ValueError:
        wanted = -1
    if not 0 <= wanted <= 600:
        raise ImproperlyConfigured(f"{DRAIN_VARIABLE}={given} is not a number of seconds from 0 to 600.")
    return wanted


class Drain:
    """Whether this process is ending."""

    def __init__(self) -> None:
        self.begun = False

    def heed(self, let_go: Callable[[], None]) -> None:
        """Handle SIGTERM before the server does; `let_go` ends the streams.

        It must be called in the server's loop, in the main thread, after the server has set its own handler.
        """
        loop, old, wait = asyncio.get_running_loop(), signal.getsignal(signal.SIGTERM), drain_seconds()
        if not callable(old) or threading.current_thread() is not threading.main_thread():
            return  # a server without a handler: nothing would end the process, so change nothing

        def end(number: int, frame: FrameType | None) -> None:
            again, self.begun = self.begun, True
            loop.call_soon_threadsafe(let_go)
            if again or not wait:
                old(number, frame)
            else:
                loop.call_soon_threadsafe(loop.call_later, wait, old, number, None)

        signal.signal(signal.SIGTERM, end)


drain: Final = Drain()
