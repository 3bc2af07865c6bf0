"""The scheduler of beat: Celery's, which by itself would send nothing until a clock that was put back has come again to
where it was, and so would stop the house for as long."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from celery.beat import PersistentScheduler

from config.healthy import TICKED

SLACK: Final = timedelta(seconds=1)


class Scheduler(PersistentScheduler):  # type: ignore[misc]  # Celery has no types
    """Looks before each tick whether something ran in the future, and has that run now."""

    def tick(self, *arguments: Any, **named: Any) -> float:
        """Send what is due; the seconds until there may be more."""
        now = self.app.now()
        ahead = [entry for entry in self.schedule.values() if entry.last_run_at > now + SLACK]
        for entry in ahead:
            entry.last_run_at = now - getattr(entry.schedule, "run_every", timedelta(0))
        if ahead:
            self._heap = None  # in the order of moments that will not be for long: made anew
        Path(f"{self.schedule_filename}{TICKED}").touch()  # by which `config.healthy` sees that it works
        return float(super().tick(*arguments, **named))
