"""What is kept of a bot's output: the beginning, and the end, where a traceback stands.

The kit keeps the same (`scorebook_games.bots.output`). The process that sets up a sandbox has no packages, so this is a
copy.
"""

from __future__ import annotations

from typing import Final

FIRST_BYTES: Final = 4 << 10
LAST_BYTES: Final = 4 << 10


class KeptOutput:
    """Takes a bot's standard error part by part. `size` counts all of its bytes."""

    def __init__(self) -> None:
        self.size = 0
        self._first = self._last = b""

    def add(self, part: bytes) -> None:
        self.size += len(part)
        room = FIRST_BYTES - len(self._first)
        self._first += part[:room]
        self._last = (self._last + part[room:])[-LAST_BYTES:]

    def text(self) -> bytes:
        """Return the first and the last 4 KiB, and between them a line that says how much was left out."""
        left_out = self.size - len(self._first) - len(self._last)
        return self._first + (b"\n[%d bytes left out]\n" % left_out if left_out else b"") + self._last
