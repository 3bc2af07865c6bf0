"""The scheduler of beat: Celery's, which by itself would send nothing until a clock that was put back has come again to
where it was, and so would stop the platform for as long.

It notes in the database when it last sent a tick, so that a beat that does not run and workers that are late are told
apart.
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
    """Looks before each tick whether something ran in the future, and has that run now."""

    noted = -float(TOUCH_EVERY_SECONDS)  # when it was noted last that a tick was sent (monotonic)

    def tick(self, *arguments: Any, **named: Any) -> float:
        """Send what is due; the seconds until there may be more."""
        now = self.app.now()
        ahead = [entry for entry in self.schedule.values() if entry.last_run_at > now + SLACK]
        for entry in ahead:
            entry.last_run_at = now - getattr(entry.schedule, "run_every", timedelta(0))
        if ahead:
            self._heap = None  # in the order of moments that will not be for long: made anew
        Path(f"{self.schedule_filename}{TICKED}").touch()  # by which `config.monitoring.healthcheck` sees that it works
        return float(super().tick(*arguments, **named))

    def apply_async(self, entry: Any, *arguments: Any, **named: Any) -> Any:
        """Send what an entry asks for, and note it where it is the tick."""
        result = super().apply_async(entry, *arguments, **named)
        if entry.task == TICK and monotonic() >= self.noted + TOUCH_EVERY_SECONDS:
            self.noted = monotonic()
            try:
                outages.record_tick_sent(clock.now())
            except Error:
                logger.warning("The time of this tick could not be stored.", exc_info=True)
                connection.close()
        return result
