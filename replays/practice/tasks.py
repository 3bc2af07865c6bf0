"""The Celery task of practice. A message only wakes a worker; the work is found by queries."""

from __future__ import annotations

import time

from celery import shared_task

from replays.practice import exercises
from replays.review.tasks import COMPUTE_SECONDS


@shared_task(name="replays.practice", time_limit=4 * COMPUTE_SECONDS)  # type: ignore[untyped-decorator]
def practice() -> None:
    """Measure the moves of exercises until none waits or the time is used."""
    until = time.monotonic() + COMPUTE_SECONDS
    while time.monotonic() < until and exercises.measure_due():
        pass
