"""The Celery tasks of reviews. A message only wakes a worker; the work is found by queries."""

from __future__ import annotations

import os
import time
from typing import Any, Final

from celery import shared_task
from celery.signals import celeryd_after_setup

from replays.review import ledgers, reviews

QUEUE: Final = "review"  # of workers whose work is less urgent than games
NICE: Final = 10  # how far such a worker steps back behind others of its machine
LEDGERS_WAIT_SECONDS: Final = 5  # how long ledgers wait for a review, which goes on after them
COMPUTE_SECONDS: Final = 50  # less than the broker's visibility timeout, so that no message comes twice


@celeryd_after_setup.connect  # type: ignore[untyped-decorator]
def step_back(instance: Any = None, **_signal: Any) -> None:
    """Let the processes of a worker that does nothing but reviews wait for those that play games."""
    if set(instance.app.amqp.queues.consume_from) == {QUEUE}:
        os.nice(max(0, NICE - os.nice(0)))


@shared_task(name="replays.compute_ledgers", time_limit=4 * COMPUTE_SECONDS)  # type: ignore[untyped-decorator]
def compute_ledgers() -> None:
    """Find finished games and compute their luck ledgers, and then reviews, until none is left or the time is used."""
    until = time.monotonic() + COMPUTE_SECONDS
    reviews.find_rated_games()
    while time.monotonic() < until:
        found, claimed = ledgers.find_games(), ledgers.compute_due()
        if not found and not claimed and not reviews.make_due(min(until, time.monotonic() + LEDGERS_WAIT_SECONDS)):
            return


@shared_task(name="replays.find_ledgers", time_limit=600)  # type: ignore[untyped-decorator]
def find_ledgers() -> None:
    """Look through all games for those that a search missed, and for those whose kind has a value function by now."""
    while ledgers.find_games(every=True):
        pass
    ledgers.find_explained_again()
