"""Computes how long to wait before a dead part is started again, and when to give up. Pure: the caller gives the
time."""

from __future__ import annotations

MOST_DEATHS, WITHIN = 5, 60.0
FIRST_PAUSE = 0.5


class Patience:
    """The deaths of one part within the last minute."""

    def __init__(self) -> None:
        self._deaths: list[float] = []

    def died(self, now: float) -> float | None:
        """Return the seconds until the next start, doubled with each death; None at the fifth death within a minute."""
        self._deaths = [earlier for earlier in self._deaths if now - earlier < WITHIN] + [now]
        if len(self._deaths) >= MOST_DEATHS:
            return None
        return float(FIRST_PAUSE * 2 ** (len(self._deaths) - 1))
