"""When Python looks for garbage: things that hold one another in a circle, which it finds by going through everything.

Left alone it looks in the middle of whatever request is under way, and waits until there is much to be found: one
request in forty took 0.1 s longer. Here a process looks between requests, when one has been answered and no other is
under way, and as soon as there may be something to be found: so each look is short, and nobody waits for it. Where
requests are always under way Python looks by itself, somewhat later than it would, so that memory stays bounded.

What is there once the process has settled (code, templates, words, addresses) is left out of these looks.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from django.urls import get_resolver

# Both count Python's looks at young things alone (its generation 1), each after some 7,000 things that were made and
# not let go of.
MIN_PENDING_COLLECTIONS: Final = 1
MAX_PENDING_COLLECTIONS: Final = 20
# Seconds until the process settles anew, with what its first requests have left; then again and again.
FREEZE_AFTER_SECONDS: Final = (60.0, 600.0, 3600.0)


class IdleCollector:
    """Looks between requests, from `begin` to `end`. For one thread, the server's loop."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self.under_way = 0
        self.begun = False
        self.before = gc.get_threshold()
        self.settled = 0
        self.settles_at = 0.0

    def begin(self) -> None:
        """From now on look between requests, and at the latest at `MAX_PENDING_COLLECTIONS`."""
        self.before = gc.get_threshold()
        gc.set_threshold(*self.before[:2], MAX_PENDING_COLLECTIONS)
        self.begun, self.settled = True, 0
        self.settle()

    def end(self) -> None:
        """Let Python look when it will."""
        self.begun = False
        gc.set_threshold(*self.before)

    @contextmanager
    def request(self) -> Iterator[None]:
        """A request is under way. What goes on for ever is none."""
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1
            if not self.under_way:
                self.look()

    def look(self) -> None:
        """No request is under way: look, if there may be something to be found."""
        if not self.begun:
            return
        if self.now() >= self.settles_at:
            self.settle()
        elif gc.get_count()[2] >= MIN_PENDING_COLLECTIONS:
            gc.collect()

    def settle(self) -> None:
        """Look through everything, and leave out of the next looks what is there now.

        What is left out and no longer needed is found the next time; at the start there is little of it, and later it
        is caches that grow. It stops the process for 0.1 s to 1 s, by how much there is and how busy the machine is.
        """
        _ = get_resolver().url_patterns
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        gc.collect()  # so that Python knows how little is left: it waits until a quarter of that has been added
        self.settles_at = self.now() + FREEZE_AFTER_SECONDS[min(self.settled, len(FREEZE_AFTER_SECONDS) - 1)]
        self.settled += 1
