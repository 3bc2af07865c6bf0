"""Measures how long a bot has taken, and how much of this was the host's slowness.

The bot is not charged for time in which the kernel kept it waiting for a processor, or in which this worker slept
longer than it asked to. A host that keeps a bot waiting for too long has failed it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from games.sandbox.faults import Over

QUICK_MS = 10  # delays of the host are only measured if an answer takes longer than this
WALL_TIMEOUT_FACTOR = 4  # the host has failed a bot after this many times its time
GRACE_MS = 1000  # plus this much, unless the bot has computed for most of its time
LOOKS, LOOK_MS = 5, 20
OVERSLEPT_MS = 5  # shorter delays are the normal precision of waking up


class OutOfTime(Exception):
    """A limit was exceeded: `over` is "wall", "cpu" or "host"."""

    def __init__(self, over: Over) -> None:
        super().__init__(over)
        self.over: Over = over


class Watch:
    """Measures the time of one answer, from `began` or now. `cpu_used` returns the bot's CPU time since then, in ms."""

    def __init__(
        self,
        pid: int,
        wall_ms: float,
        cpu_ms: float,
        cpu_used: Callable[[], float],
        began: float | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pid = pid
        self.wall_ms, self.cpu_ms, self._cpu_used = wall_ms, cpu_ms, cpu_used
        self._now, self._began = now, now() if began is None else began
        self._looks = LOOKS
        self._delay_before: float | None = None
        self._overslept = self._excused = 0.0

    def elapsed(self) -> float:
        return 1000 * (self._now() - self._began)

    def charged(self) -> float:
        """Return the wall time in ms that is charged to the bot."""
        return max(0.0, self.elapsed() - self._excused)

    def slept(self, asked: float, really: float) -> None:
        """Record that the worker wanted to wait for at most `asked` ms and came back after `really` ms."""
        if really > asked + OVERSLEPT_MS:
            self._overslept += really - asked

    def left(self) -> float:
        """Return how many ms to wait before the next check. Raises `OutOfTime`."""
        if self._delay_before is None:
            if self.elapsed() < (quick := min(QUICK_MS, self.wall_ms, self.cpu_ms)):
                return quick
            self._delay_before = self._delay()
        self._excuse()
        cpu_left, wall_left = self.cpu_ms - self._cpu_used(), self.wall_ms - self.charged()
        if cpu_left <= 0:
            raise OutOfTime("cpu")
        if wall_left <= 0:
            return self._last_look()
        self._look_at_host()
        return max(1.0, min(wall_left, cpu_left))

    def _look_at_host(self) -> None:
        """Raise `OutOfTime` if the host has kept the bot waiting for too long.

        A bot that has itself computed for most of its time gets twice as long, and is then late, because its own
        computing is the reason.
        """
        timeout_ms = WALL_TIMEOUT_FACTOR * self.wall_ms + GRACE_MS
        if self.elapsed() <= timeout_ms:
            return
        if 2 * self._cpu_used() < self.wall_ms:
            raise OutOfTime("host")
        if self.elapsed() > 2 * timeout_ms:
            raise OutOfTime("wall")

    def is_late(self) -> bool:
        """Return whether an answer that has just come is too late, by more than the precision of waking up."""
        latest = self.wall_ms + OVERSLEPT_MS
        if self.elapsed() <= latest:
            return False
        self._excuse()
        return self.charged() > latest

    def _excuse(self) -> None:
        delay = 0.0 if self._delay_before is None else self._delay() - self._delay_before
        self._excused = max(self._overslept, delay)

    def _last_look(self) -> float:
        """Return a few ms to wait if the bot waits for a processor now, because a delay is counted only when it is
        over.

        Raises `OutOfTime` otherwise.
        """
        if self._looks == 0 or self._state() != "R":
            raise OutOfTime("wall")
        self._looks -= 1
        return LOOK_MS

    def _state(self) -> str:
        try:
            return Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return ""

    def _delay(self) -> float:
        """Return the ms of its life in which the bot could have run but had no processor; 0 if Linux does not count
        them."""
        try:
            return int(Path(f"/proc/{self._pid}/schedstat").read_text().split()[1]) / 1e6
        except (OSError, IndexError):
            return 0.0
