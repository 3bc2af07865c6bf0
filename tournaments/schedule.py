"""When rounds open. Pure: the calendar is counted, nobody asks what time it is."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

DAY = 24 * 60 * 60


def opens_at(starts_at: datetime, round_seconds: int, number: int, zone: str) -> datetime:
    """When round `number` (1 …) is planned to open. If the one before it is closed later, it opens at that time.

    Whole days are days of the club's calendar: a league that opens at 20:00 in Dublin does so in summer and winter.
    Anything shorter is counted in seconds.
    """
    passed = round_seconds * (number - 1)
    if round_seconds % DAY:
        return starts_at + timedelta(seconds=passed)
    local = starts_at.astimezone(ZoneInfo(zone))
    return (local + timedelta(days=passed // DAY)).astimezone(starts_at.tzinfo)
