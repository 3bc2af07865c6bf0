"""Runs Python's search for reference cycles (the garbage collector) between requests.

By default Python searches in the middle of a request, and only when much has piled up: one request in forty took 0.1 s
longer. Here a process searches when one request has been answered and no other is in progress, as soon as there may be
something to find, so each search is short and delays nobody. It waits for a moment in which what the request has
caused, such as the lines of streams, is sent. If there is always a request in progress, Python searches
by itself, a little later than usual, so that memory stays bounded.

Objects that exist once the process has settled (code, templates, translations, URLs) are left out of the searches.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from django.urls import get_resolver

# Both count Python's collections of generation 1, each after about 7,000 new objects.
MIN_PENDING_COLLECTIONS: Final = 1
MAX_PENDING_COLLECTIONS: Final = 20
# Seconds until the process settles again, with the objects of its first requests; repeated from then on.
FREEZE_AFTER_SECONDS: Final = (60.0, 600.0, 3600.0)
PAUSE_SECONDS: Final = 0.05  # after a request, in which its move reaches those who watch

Later = Callable[[Callable[[], None]], object]


def at_once(look: Callable[[], None]) -> None:
    look()


def after_a_pause(look: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(PAUSE_SECONDS, look)


class IdleCollector:
    """Searches between requests from `begin` to `end`. Only the thread of the server's loop may use it. `later` says
    when it looks whether there is something to find, once no request is in progress."""

    def __init__(self, now: Callable[[], float] = time.monotonic, later: Later = at_once) -> None:
        self.now = now
        self.later = later
        self.under_way = 0
        self.begun = False
        self.before = gc.get_threshold()
        self.settled = 0
        self.settles_at = 0.0

    def begin(self) -> None:
        """Start searching between requests, and at `MAX_PENDING_COLLECTIONS` at the latest."""
        self.before = gc.get_threshold()
        gc.set_threshold(*self.before[:2], MAX_PENDING_COLLECTIONS)
        self.begun, self.settled = True, 0
        self.settle()

    def end(self) -> None:
        """Leave the searches to Python again."""
        self.begun = False
        gc.set_threshold(*self.before)

    @contextmanager
    def request(self) -> Iterator[None]:
        """Mark a request as in progress. Endless streams are not marked."""
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1
            if self.begun and not self.under_way:
                self.later(self.look)

    def look(self) -> None:
        """Search if no request is in progress and there may be something to find."""
        if not self.begun or self.under_way:
            return
        if self.now() >= self.settles_at:
            self.settle()
        elif gc.get_count()[2] >= MIN_PENDING_COLLECTIONS:
            gc.collect()

    def settle(self) -> None:
        """Search everything, and leave the present objects out of later searches.

        Of these, objects that are no longer needed are found the next time; they are few at the start, and later mostly
        growing caches. It stops the process for 0.1 s to 1 s, depending on the number of objects and on the machine's
        load.
        """
        _ = get_resolver().url_patterns
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        gc.collect()  # Python then knows how few are left, and waits until a quarter more have been added
        self.settles_at = self.now() + FREEZE_AFTER_SECONDS[min(self.settled, len(FREEZE_AFTER_SECONDS) - 1)]
        self.settled += 1
