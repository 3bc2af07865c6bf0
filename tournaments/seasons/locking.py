"""What every step of a season begins with: the season as nobody else holds it, and whether its time is up."""

from __future__ import annotations

from datetime import datetime, timedelta

from games.common import clock
from tournaments.formats import FORMATS
from tournaments.seasons.models import GOING_ON, Season


def lock_running_season(season_id: int, *status: str) -> Season | None:
    """The season, locked until this transaction ends; None if it is neither running nor paused, or not of that
    `status`, or if another process has it."""
    held = Season.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
    return held.select_related("stream", "league__club").filter(pk=season_id, status__in=status or GOING_ON).first()


def continuous_formats() -> list[str]:
    """The formats that pair while rounds are being played."""
    return [name for name, format in FORMATS.items() if format.continuous]


def is_past_end(season: Season) -> bool:
    """Whether the time of a format without a last round is up."""
    ends = ends_at(season)
    return ends is not None and clock.now() >= ends


def ends_at(season: Season) -> datetime | None:
    """When the time of a format without a last round is up; None where the season goes on until it is ended by hand."""
    lasts = season.settings["duration_seconds"]
    return season.starts_at + timedelta(seconds=lasts + season.delay_seconds) if lasts else None
