"""Counts in which functions of ours a process uses the processor: a sample every ten milliseconds of its time.

A library's time is counted for the function of ours that called it.
"""

from __future__ import annotations

import signal
from collections import Counter
from types import FrameType

from devkit.paths import ROOT

INTERVAL = 0.01  # CPU seconds between two samples
FOLDERS = tuple(f"{ROOT}/{name}/" for name in ("games", "tournaments", "replays", "config", "tests"))


def start(counted: Counter[str]) -> None:
    """Count samples by function from now on."""

    def take(_number: int, frame: FrameType | None) -> None:
        while frame is not None and not frame.f_code.co_filename.startswith(FOLDERS):
            frame = frame.f_back
        if frame is not None:
            code = frame.f_code
            counted[f"{code.co_filename.removeprefix(f'{ROOT}/')}: {code.co_qualname}"] += 1

    signal.signal(signal.SIGPROF, take)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)


def stop() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0)
