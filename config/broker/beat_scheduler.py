"""Beat's scheduler. Celery's own, after the clock was set back, would send nothing until the old time came again.

It records in the database when it last sent a tick, so that a missing beat and late workers can be told apart.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Any, Final

from celery.beat import PersistentScheduler
from django.db import Error, connection

from config.broker.ticks import TICKED
from games.clocks import outages
from games.common import clock

logger = logging.getLogger(__name__)

SLACK: Final = timedelta(seconds=1)
TICK: Final = "games.tick"
TOUCH_EVERY_SECONDS: Final = 10  # seconds


class Scheduler(PersistentScheduler):  # type: ignore[misc]  # Celery has no types
    """Checks before each tick whether an entry ran in the future, and makes that entry due."""

    noted = -float(TOUCH_EVERY_SECONDS)  # when the record of the last tick was written (monotonic seconds)

    def tick(self, *arguments: Any, **named: Any) -> float:
        """Send due entries; return the seconds until the next may be due."""
        now = self.app.now()
        ahead = [entry for entry in self.schedule.values() if entry.last_run_at > now + SLACK]
        for entry in ahead:
            entry.last_run_at = now - getattr(entry.schedule, "run_every", timedelta(0))
        if ahead:
            self._heap = None  # the order of due times is no longer right, so it is computed again
        Path(f"{self.schedule_filename}{TICKED}").touch()  # by which `config.monitoring.healthcheck` sees that it works
        return float(super().tick(*arguments, **named))

    def apply_async(self, entry: Any, *arguments: Any, **named: Any) -> Any:
        """Send an entry's message; if it is the tick, record that."""
        result = super().apply_async(entry, *arguments, **named)
        if entry.task == TICK and monotonic() >= self.noted + TOUCH_EVERY_SECONDS:
            self.noted = monotonic()
            try:
                outages.record_tick_sent(clock.now())
            except Error:
                logger.warning("The time of this tick could not be stored.", exc_info=True)
                connection.close()
        return result
