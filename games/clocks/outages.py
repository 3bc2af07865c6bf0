"""When the platform was away: parts of it give signs of life, and silence for longer than a minute is an outage.

Two parts count: "web", which takes moves, and "beat", the tick that looks at clocks in a worker. Nobody's clock runs in
an outage, and a live one not in the minute after it either, in which people find their way back.

A clock of a machine that is put forward looks the same as a silence and costs nobody anything: by a minute or more the
signs show it, by less a `ClockWatch`, which compares it with the clock that nobody can set. One that is put back gives
everybody as much more time.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from games.clocks.hours import Stop
from games.clocks.models import Heartbeat, PlatformOutage
from games.common.models import Incident

WEB_PART: Final = "web"
BEAT_PART: Final = "beat"
BEAT_SENT: Final = "beat_sent"  # no part: when beat last asked for a tick, which "beat" says was done
CLOCK_PART: Final = "clock"
HEARTBEAT_INTERVAL: Final = timedelta(seconds=10)
OUTAGE_AFTER: Final = timedelta(minutes=1)
RETURN_GRACE: Final = timedelta(minutes=1)
MIN_CLOCK_JUMP: Final = timedelta(
    seconds=2
)  # by which a clock and the monotonic one do not drift apart between two looks


def record_heartbeat(part: str, at: datetime) -> None:
    """Say that `part` runs at that moment; after a long silence write down the outage that it ends.

    Nothing is written when the last sign is only seconds old, or from a clock that is ahead.
    """
    Heartbeat.objects.bulk_create([Heartbeat(part=part, at=at)], ignore_conflicts=True)
    with transaction.atomic():
        due = Heartbeat.objects.select_for_update().filter(part=part, at__lte=at - HEARTBEAT_INTERVAL)
        for last in due.values_list("at", flat=True):
            if at - last > OUTAGE_AFTER:
                _end_of_outage(part, last, at)
            Heartbeat.objects.filter(part=part).update(at=at)


def record_tick_sent(at: datetime) -> None:
    """Say that beat has asked for a tick. Its silence stops no clock: that of the ticks does."""
    Heartbeat.objects.update_or_create(part=BEAT_SENT, defaults={"at": at})


def _end_of_outage(part: str, start: datetime, end: datetime) -> None:
    PlatformOutage.objects.create(part=part, start=start, end=end)
    sentence = (
        f"The part {part} was down from {start:%H:%M:%S} to {end:%H:%M:%S} UTC. Clocks were stopped for that time."
    )
    Incident.objects.create(at=end, cause=Incident.Cause.INFRASTRUCTURE, sentence=sentence)


class ClockWatch:
    """Looks whether the clock of this process's machine was set, since it last looked."""

    def __init__(self) -> None:
        self.last: tuple[datetime, float] | None = None

    def look(self, at: datetime, monotonic: float) -> None:
        """Compare the two clocks; where they moved by different amounts write that down, and see to it that it costs
        nobody time. A database that takes nothing raises Django's `Error`, and it is seen with the next look."""
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
        sentence = f"The system clock jumped forward by {jump.total_seconds():.0f} s. No player loses time."
        Incident.objects.create(at=end, cause=Incident.Cause.INFRASTRUCTURE, sentence=sentence)


def _put_back(at: datetime, jump: timedelta) -> None:
    """What the parts said in what is now the future would hide that they fall silent."""
    with transaction.atomic():
        Heartbeat.objects.filter(at__gt=at).update(at=at)
        sentence = f"The system clock jumped back by {jump.total_seconds():.0f} s. Every player gains that time."
        Incident.objects.create(at=at, cause=Incident.Cause.INFRASTRUCTURE, sentence=sentence)


def due_after_outages(due: datetime) -> datetime:
    """When something is due that would have been so in an outage: after it, and as long after it as it was before."""
    within = PlatformOutage.objects.filter(start__lte=due, end__gt=due - RETURN_GRACE).order_by("-end").first()
    return due if within is None else max(due, within.end + (min(due, within.end) - within.start) + RETURN_GRACE)


def is_outage_at(at: datetime) -> bool:
    """Whether a part that gave signs of life has been silent for so long that it is away."""
    return Heartbeat.objects.filter(part__in=(WEB_PART, BEAT_PART), at__lt=at - OUTAGE_AFTER).exists()


def stops_since(opened_at: datetime, *, live: bool) -> list[Stop]:
    """The outages that ended after that moment, as a clock of that sort knows them."""
    ended = PlatformOutage.objects.filter(end__gt=opened_at - RETURN_GRACE)
    tail = RETURN_GRACE if live else timedelta(0)
    return [Stop(outage.start, outage.end + tail, "outage") for outage in ended]


def unsettled_outages() -> QuerySet[PlatformOutage]:
    """The outages after which the games' deadlines have not been set anew."""
    return PlatformOutage.objects.filter(settled=False)


def mark_settled(outages: Iterable[PlatformOutage]) -> None:
    """Note that they have."""
    PlatformOutage.objects.filter(pk__in=[outage.pk for outage in outages]).update(settled=True)
