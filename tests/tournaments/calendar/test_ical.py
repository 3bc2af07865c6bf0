"""A calendar's bytes are what RFC 5545 asks for, whatever the names in it are. No database."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from icalendar import Calendar

from tournaments.calendar.ical import CalendarEvent, render_calendar

AT = datetime(2026, 10, 19, 18, 0, tzinfo=UTC)
NAME = 'Tea; cards, dice \\ "and" more\nEND:VCALENDAR\r\nX-OURS:1\x0b\x00\u2028\x85 Straße 🎲' + "ü🎲" * 40


def rendered(name: str) -> bytes:
    event = CalendarEvent("1", name, name, "https://example.org/", AT, None, 1, AT, AT, False, True)
    return render_calendar(name, [event])


def unfolded(body: bytes) -> list[str]:
    return body.decode().replace("\r\n ", "").split("\r\n")


def test_names_are_escaped_in_every_text() -> None:
    """RFC 5545, 3.3.11: backslash, semicolon, comma and line end are escaped, control characters cannot be there."""
    lines = {line.partition(":")[0]: line.partition(":")[2] for line in unfolded(rendered(NAME))}
    for name in ("NAME", "X-WR-CALNAME", "SUMMARY", "DESCRIPTION"):
        assert lines[name].startswith(r'Tea\; cards\, dice \\ "and" more\nEND:VCALENDAR\nX-OURS:1'), name
        assert not re.search(r"(?<!\\)[;,]", lines[name])
        assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029]", lines[name])
    assert "X-OURS" not in lines


def test_lines_are_folded_at_75_octets_and_never_within_a_character() -> None:
    """RFC 5545, 3.1."""
    lines = rendered(NAME).split(b"\r\n")
    assert max(map(len, lines)) <= 75
    assert all(line.decode() is not None for line in lines)  # each line is UTF-8 of its own
    assert "ü🎲" * 40 in str(Calendar.from_ical(rendered(NAME)).events[0]["summary"])


def test_a_calendar_program_reads_the_name_that_it_has() -> None:
    found = Calendar.from_ical(rendered("Tea; cards, dice \\ more"))
    assert str(found.events[0]["summary"]) == "Tea; cards, dice \\ more"
    assert unfolded(rendered("Tea; cards"))[3:5] == [r"NAME:Tea\; cards", r"X-WR-CALNAME:Tea\; cards"]
