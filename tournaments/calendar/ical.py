"""iCalendar (RFC 5545), written from calendar entries.

All times are in UTC, so that no zone has to be described. What is written depends on the entries alone: as long as
they stay the bytes do, and so does the ETag. `DTSTAMP` is when an event was changed last, as the RFC has it (3.8.7.2)
for calendars without a `METHOD`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from icalendar import Calendar, Event

PRODUCT: Final = "-//Scorebook//Scorebook//EN"
REFRESH_INTERVAL: Final = timedelta(hours=1)  # how often a program should look


@dataclass(frozen=True, slots=True)
class CalendarEvent:
    """An event as a calendar shows it. `ends` None: it is a moment. `busy`: whether it takes up its time."""

    uid: str
    summary: str
    description: str
    url: str
    begins: datetime
    ends: datetime | None
    sequence: int
    created: datetime
    modified: datetime
    cancelled: bool
    busy: bool


def render_calendar(name: str, events: Iterable[CalendarEvent]) -> bytes:
    """The calendar of that name."""
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("name", name)
    calendar.add("x-wr-calname", name)
    calendar.add("refresh-interval", REFRESH_INTERVAL, parameters={"VALUE": "DURATION"})
    for event in events:
        calendar.add_component(_event(event))
    return bytes(calendar.to_ical())


def _event(shown: CalendarEvent) -> Event:
    event = Event()
    event.add("uid", shown.uid)
    event.add("dtstamp", _utc(shown.modified))
    event.add("dtstart", _utc(shown.begins))
    if shown.ends is not None:
        event.add("dtend", _utc(shown.ends))
    event.add("summary", shown.summary)
    event.add("description", shown.description)
    event.add("url", shown.url)
    event.add("sequence", shown.sequence)
    event.add("created", _utc(shown.created))
    event.add("last-modified", _utc(shown.modified))
    event.add("status", "CANCELLED" if shown.cancelled else "CONFIRMED")
    event.add("transp", "OPAQUE" if shown.busy and not shown.cancelled else "TRANSPARENT")
    return event


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)
