"""When the platform was away. Its parts report regularly, and silence for longer than a minute is an outage.

Two parts count: "web", which takes moves, and "beat", the task in a worker that checks clocks. No clock runs in an
outage, and a live one also not in the minute after it, in which people come back.

A machine's clock that is set forward looks like silence and costs nobody time: a minute or more is seen in the reports,
and less by a `ClockWatch`, which compares the clock with one that nobody can set. A clock that is set back gives
everybody that much more time.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from games.clocks.hours import Stop
from games.clocks.models import Heartbeat, PlatformOutage
from games.common.incidents import clock_jumped_back, clock_jumped_forward, part_was_down
from games.common.models import Incident
from scorebook_games.presentation.coded_text import plain

WEB_PART: Final = "web"
BEAT_PART: Final = "beat"
BEAT_SENT: Final = "beat_sent"  # not a part: when beat last sent the task that "beat" reports as done
CLOCK_PART: Final = "clock"
HEARTBEAT_INTERVAL: Final = timedelta(seconds=10)
OUTAGE_AFTER: Final = timedelta(minutes=1)
RETURN_GRACE: Final = timedelta(minutes=1)
MIN_CLOCK_JUMP: Final = timedelta(
    seconds=2
)  # a clock and the monotonic one differ by less than this between two checks


def record_heartbeat(part: str, at: datetime) -> None:
    """Report that `part` runs at this time. After a long silence, record the outage that it ends.

    Nothing is written if the last report is only seconds old, or from a clock that is ahead.
    """
    Heartbeat.objects.bulk_create([Heartbeat(part=part, at=at)], ignore_conflicts=True)
    with transaction.atomic():
        due = Heartbeat.objects.select_for_update().filter(part=part, at__lte=at - HEARTBEAT_INTERVAL)
        for last in due.values_list("at", flat=True):
            if at - last > OUTAGE_AFTER:
                _end_of_outage(part, last, at)
            Heartbeat.objects.filter(part=part).update(at=at)


def record_tick_sent(at: datetime) -> None:
    """Record that beat has sent its task. Only the silence of the task itself stops clocks."""
    Heartbeat.objects.update_or_create(part=BEAT_SENT, defaults={"at": at})


def _end_of_outage(part: str, start: datetime, end: datetime) -> None:
    PlatformOutage.objects.create(part=part, start=start, end=end)
    sentences = plain([part_was_down(part, start.isoformat(), end.isoformat())])
    Incident.objects.create(at=end, cause=Incident.Cause.INFRASTRUCTURE, sentences=sentences)


class ClockWatch:
    """Checks whether the clock of this process's machine was set since the last check."""

    def __init__(self) -> None:
        self.last: tuple[datetime, float] | None = None

    def look(self, at: datetime, monotonic: float) -> None:
        """Compare the two clocks. If they moved by different amounts, record that, so that it costs nobody time.

        Raises Django's `Error` if the database takes nothing; the next check then sees the difference.
        """
        if self.last is not None:
            start, before = self.last
            jump = at - start - timedelta(seconds=monotonic - before)
            if jump >= MIN_CLOCK_JUMP:
                _put_forward(start, at, jump)
            elif jump <= -MIN_CLOCK_JUMP:
                _put_back(at, -jump)
        self.last = at, monotonic


def _put_forward(start: datetime, end: datetime, jump: timedelta) -> None:
    with transaction.atomic():
        if not PlatformOutage.objects.filter(
            start__lte=start + HEARTBEAT_INTERVAL, end__gte=end - HEARTBEAT_INTERVAL
        ).exists():
            PlatformOutage.objects.create(part=CLOCK_PART, start=start, end=end)
        sentences = plain([clock_jumped_forward(round(jump.total_seconds()))])
        Incident.objects.create(at=end, cause=Incident.Cause.INFRASTRUCTURE, sentences=sentences)


def _put_back(at: datetime, jump: timedelta) -> None:
    """Set back reports that now lie in the future, which would hide that the parts fall silent."""
    with transaction.atomic():
        Heartbeat.objects.filter(at__gt=at).update(at=at)
        sentences = plain([clock_jumped_back(round(jump.total_seconds()))])
        Incident.objects.create(at=at, cause=Incident.Cause.INFRASTRUCTURE, sentences=sentences)


def due_after_outages(due: datetime) -> datetime:
    """Return when something is due that would be due in an outage: as long after its end as it was after its start."""
    within = PlatformOutage.objects.filter(start__lte=due, end__gt=due - RETURN_GRACE).order_by("-end").first()
    return due if within is None else max(due, within.end + (min(due, within.end) - within.start) + RETURN_GRACE)


def is_outage_at(at: datetime) -> bool:
    """Return whether a part that has reported before has been silent for so long that it counts as away."""
    return Heartbeat.objects.filter(part__in=(WEB_PART, BEAT_PART), at__lt=at - OUTAGE_AFTER).exists()


def stops_since(opened_at: datetime, *, live: bool) -> list[Stop]:
    """Return the outages that ended after this time, as live or other clocks count them."""
    ended = PlatformOutage.objects.filter(end__gt=opened_at - RETURN_GRACE)
    tail = RETURN_GRACE if live else timedelta(0)
    return [Stop(outage.start, outage.end + tail, "outage") for outage in ended]


def unsettled_outages() -> QuerySet[PlatformOutage]:
    """Return the outages after which the games' deadlines have not been set again."""
    return PlatformOutage.objects.filter(settled=False)


def mark_settled(outages: Iterable[PlatformOutage]) -> None:
    """Record that the deadlines have been set after these outages."""
    PlatformOutage.objects.filter(pk__in=[outage.pk for outage in outages]).update(settled=True)
