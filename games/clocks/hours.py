"""When a clock runs: playing hours, weekends, and stops. Pure; needs only the standard library.

All times are aware datetimes. Hours of a day are local time, so a day on which clocks change there has an hour less or
more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

TimeSpan = tuple[datetime, datetime]  # from the first time on, until before the second
FOREVER: Final = datetime.max.replace(tzinfo=UTC)
ONE_DAY: Final = timedelta(days=1)
PLAYING_HOURS, WEEKEND = "playing_hours", "weekend"


class Stop(NamedTuple):
    """A clock stands still from `start` until before `end`. `why` is "vacation" or "outage"."""

    start: datetime
    end: datetime
    why: str


@dataclass(frozen=True, slots=True)
class Hours:
    """The hours of the day at which clocks run: from `start` until before `end`, which is on the next day if not later.

    With `weekend_pause`, clocks stand still on Saturdays and Sundays.
    """

    zone: str
    start: int
    end: int
    weekend_pause: bool

    @property
    def day(self) -> timedelta:
        """Return how long clocks run on a normal day."""
        return timedelta(hours=(self.end - self.start) % 24 or 24)

    def on(self, day: date) -> list[TimeSpan]:
        """Return the spans of one day by the calendar of `zone`, in order."""
        if self.weekend_pause and day.weekday() >= 5:
            return []
        hours = [(self.start, self.end)] if self.start < self.end else [(0, self.end), (self.start, 24)]
        spans = [(self._moment(day, start), self._moment(day, end)) for start, end in hours]
        return [(start, end) for start, end in spans if start < end]

    def spans(self, since: datetime) -> Iterator[TimeSpan]:
        """Yield the spans from `since` on, in order, without end."""
        day = self._local(since).date()
        while True:
            for start, end in self.on(day):
                if end > since:
                    yield max(start, since), end
            day += ONE_DAY

    def pause(self, at: datetime) -> str:
        """Return why clocks stand still at this time: "weekend", "playing_hours", or "" if they run."""
        day = self._local(at).date()
        if any(start <= at < end for start, end in self.on(day)):
            return ""
        return WEEKEND if self.weekend_pause and day.weekday() >= 5 else PLAYING_HOURS

    def _local(self, at: datetime) -> datetime:
        return at.astimezone(ZoneInfo(self.zone))

    def _moment(self, day: date, hour: int) -> datetime:
        """Return the time of `hour` (0 … 24) on this day. If the clocks skip it, the time at which they do."""
        day += timedelta(days=hour // 24)
        return datetime.combine(day, time(hour % 24), ZoneInfo(self.zone)).astimezone(UTC)


def hours_of(terms: Mapping[str, Any]) -> Hours | None:
    """Return the playing hours of a game; None if clocks run day and night."""
    hours = Hours(terms["zone"], terms["playing_from"], terms["playing_to"], terms["weekend_pause"])
    return hours if hours.weekend_pause or hours.day < ONE_DAY else None


def running_spans(since: datetime, hours: Hours | None, stops: Sequence[Stop]) -> Iterator[TimeSpan]:
    """Yield when a clock runs from `since` on: within the hours and outside the stops, sorted by their start."""
    for opened, closed in hours.spans(since) if hours else [(since, FOREVER)]:
        start = opened
        for stop in stops:
            if stop.start >= closed:
                break
            if start < stop.start:
                yield start, stop.start
            start = max(start, stop.end)
        if start < closed:
            yield start, closed


def elapsed(since: datetime, until: datetime, hours: Hours | None, stops: Sequence[Stop]) -> timedelta:
    """Return how long a clock ran between two times."""
    total = timedelta(0)
    for start, end in running_spans(since, hours, stops):
        if start >= until:
            break
        total += min(end, until) - start
    return total


def moment_after(since: datetime, amount: timedelta, hours: Hours | None, stops: Sequence[Stop]) -> datetime:
    """Return the first time at which a clock has run for `amount`."""
    for start, end in running_spans(since, hours, stops):
        if amount <= end - start:
            return start + amount
        amount -= end - start
    return FOREVER


def why_paused(at: datetime, hours: Hours | None, stops: Sequence[Stop]) -> str:
    """Return why a clock stands still at this time; "" if it runs."""
    for stop in stops:
        if stop.start <= at < stop.end:
            return stop.why
    return hours.pause(at) if hours else ""
