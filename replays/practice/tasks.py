"""The Celery task of practice. A message only wakes a worker; the work is found by queries."""

from __future__ import annotations

import time
from typing import Final

from celery import shared_task

from replays.practice import choosing, exercises
from replays.review.tasks import COMPUTE_SECONDS

URGENT_WAIT_SECONDS: Final = 5  # how long an exercise, a ledger or a review waits for a puzzle, which goes on after it


@shared_task(name="replays.practice", time_limit=4 * COMPUTE_SECONDS)  # type: ignore[untyped-decorator]
def practice() -> None:
    """Measure exercises and then, if no ledger and no review waits, choose puzzles; until none is left or the time is
    used."""
    until = time.monotonic() + COMPUTE_SECONDS
    choosing.add_days()
    while time.monotonic() < until:
        if exercises.measure_due():
            continue
        if not choosing.is_idle() or not choosing.choose_due(min(until, time.monotonic() + URGENT_WAIT_SECONDS)):
            return
