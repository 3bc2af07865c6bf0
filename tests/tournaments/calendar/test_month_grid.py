"""The calendar of a season, and durations as people write them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import translation

from games.common.labels import parse_duration
from tournaments.calendar.month_grid import months_of
from tournaments.season_pages.setup_form import calendar_fields
from tournaments.seasons.schedule import CalendarError, parse_calendar, parse_weekly
from tournaments.seasons.week_words import in_english, interval_text

LATE = datetime(2026, 10, 30, 23, 30, tzinfo=UTC)


def test_a_round_stands_on_the_day_that_it_is_in_the_clubs_zone() -> None:
    """23:30 UTC on 30 October is 31 October in Tokyo."""
    [october, november] = months_of([LATE, LATE + timedelta(days=7)], LATE + timedelta(days=14), "Asia/Tokyo", 6)
    days = [day for month in (october, november) for week in month.weeks for day in week if day.date]
    assert {day.date: day.label for day in days if day.rounds} == {date(2026, 10, 31): "R1", date(2026, 11, 7): "R2"}
    playing = [day.date for day in days if day.playing]
    assert (playing[0], playing[-1], len(playing)) == (date(2026, 10, 31), date(2026, 11, 13), 14)


def test_weeks_begin_on_monday_and_the_edges_of_a_month_are_empty() -> None:
    [october] = months_of([LATE], LATE, "UTC", 6)
    assert all(len(week) == 7 for week in october.weeks)
    assert [day.date and day.date.day for day in october.weeks[0]] == [None, None, None, 1, 2, 3, 4]


def test_rounds_of_one_day_share_its_square_and_no_more_months_are_shown_than_asked_for() -> None:
    opens = [LATE - timedelta(hours=n) for n in (3, 2, 1)] + [LATE + timedelta(days=40 * n) for n in range(1, 9)]
    months = months_of(opens, opens[-1], "UTC", 2)
    assert len(months) == 2
    assert [day.label for week in months[0].weeks for day in week if day.rounds] == ["R1–3"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90 seconds", 90),
        ("1 min", 60),
        ("20m", 1200),
        ("1 hour 30 minutes", 5400),
        ("3 Days", 3 * 86400),
        ("1 week and 1 day", 8 * 86400),
        ("2 weeks, 12 h", 14 * 86400 + 43200),
    ],
)
def test_a_length_of_time_is_read_as_people_write_it(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "90", "soon", "3 dogs", "-1 day", "1.5 hours", "1 day or so", "day"])
def test_what_is_no_length_of_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["1 Woche und 2 Tage", "1 week, 2 days", "8 Tage 24 Stunden", "9d"])
def test_a_german_reader_writes_german_or_english(text: str) -> None:
    with translation.override("de"):
        assert parse_duration(text) == 9 * 86400
        assert parse_duration(interval_text(90061)) == 90061
        assert parse_weekly(in_english("dienstags und Fr 19:00")) == parse_weekly("tue and fri 19:00")
        calendar = parse_calendar({"rule": "weekdays", "times": ["tue 19:00", "sun 11:00"]})
        assert calendar_fields(calendar)["times"] == "Di 19:00, So 11:00"


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("dienstags und freitags 19:00", "tue fri 19:00"),
        ("Di., Fr. 19:00", "tue fri 19:00"),
        ("Dienstag 19.00 Uhr", "tue 19:00"),  # DIN 5008 has a colon, Duden allows the full stop
        ("Dienstag 19 Uhr", "tue 19:00"),
        ("dienstags um 19:30 Uhr", "tue 19:30"),
        ("jeden Dienstagabend um 19 Uhr", "tue 19:00"),
        ("Mo/Mi 20:00", "mon wed 20:00"),
        ("Sonnabend 15:00", "sat 15:00"),
        ("So 9:30", "sun 9:30"),
        ("Mo–Fr 19:00", "mon tue wed thu fri 19:00"),
        ("Montag bis Mittwoch 20 Uhr", "mon tue wed 20:00"),
        ("Tuesdays and Fridays 19:00", "tue fri 19:00"),
    ],
)
def test_times_of_the_week_are_read_as_germans_write_them(text: str, english: str) -> None:
    with translation.override("de"):
        assert parse_weekly(in_english(text)) == parse_weekly(english)


@pytest.mark.parametrize("text", ["Dienstag", "19:00", "Dienstag abends", "Dienstag 19"])
def test_a_refused_time_has_an_example_that_is_read_in_the_readers_language(text: str) -> None:
    with translation.override("de"), pytest.raises(CalendarError) as refused:
        parse_weekly(in_english(text))
    example = refused.value.sentence.rpartition("„")[2].partition("“")[0]
    with translation.override("de"):
        assert not example or parse_weekly(in_english(example))


@pytest.mark.parametrize("seconds", [1, 30, 60, 90, 5400, 86400, 90061, 7 * 86400, 14 * 86400, 8 * 86400])
def test_a_distance_between_rounds_is_read_back_as_it_was(seconds: int) -> None:
    assert parse_duration(interval_text(seconds)) == seconds
