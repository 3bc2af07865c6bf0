"""Lets one thread at a time read declarations for the OpenAPI document.

drf-spectacular loads the classes of its extensions at the first use. A second thread at that time would find one half
loaded, and its request would be answered 500.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_LOCK: Final = threading.RLock()


@contextmanager
def one_thread_at_a_time() -> Iterator[None]:
    """Hold the lock, for a block or as a decorator."""
    with _LOCK:
        yield
