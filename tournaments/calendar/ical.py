"""iCalendar (RFC 5545), rendered from calendar entries.

All times are in UTC, so that no time zone has to be described. The output depends on the entries alone: unchanged
entries give the same bytes and the same ETag. `DTSTAMP` is the time of an entry's last change, as RFC 5545, 3.8.7.2
requires for calendars without a `METHOD`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from icalendar import Calendar, Event, vText

PRODUCT: Final = "-//Scorebook//Scorebook//EN"
REFRESH_INTERVAL: Final = timedelta(hours=1)  # how often a calendar program should ask


@dataclass(frozen=True, slots=True)
class CalendarEvent:
    """An entry as a calendar shows it. `ends` is None for a moment. `busy`: whether it blocks its time."""

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
    """Render the calendar `name` with these entries."""
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("name", _text(name))
    calendar.add("x-wr-calname", _text(name))
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
    event.add("summary", _text(shown.summary))
    event.add("description", _text(shown.description))
    event.add("url", shown.url)
    event.add("sequence", shown.sequence)
    event.add("created", _utc(shown.created))
    event.add("last-modified", _utc(shown.modified))
    event.add("status", "CANCELLED" if shown.cancelled else "CONFIRMED")
    event.add("transp", "OPAQUE" if shown.busy and not shown.cancelled else "TRANSPARENT")
    return event


def _text(words: str) -> vText:
    """Return a value of the type TEXT (3.3.11), which may have no control characters. The library escapes a value of
    this type, and no other: it does not know what NAME is."""
    plain = (
        each if unicodedata.category(each) not in ("Cc", "Zl", "Zp") or each == "\n" else " "
        for each in words.replace("\r\n", "\n")
    )
    return vText("".join(plain))


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)
