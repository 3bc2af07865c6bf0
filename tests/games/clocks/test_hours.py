"""A clock runs in playing hours, and stops on weekends and vacations, also on days when local time changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.clocks.hours import FOREVER, Hours, Stop, elapsed, moment_after, running_spans, why_paused

BERLIN = Hours("Europe/Berlin", 8, 22, weekend_pause=False)
NIGHTS = Hours("Europe/Berlin", 18, 2, weekend_pause=False)
WORKDAYS = Hours("Europe/Berlin", 0, 24, weekend_pause=True)
HOUR = timedelta(hours=1)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_without_hours_and_stops_a_clock_runs_for_ever() -> None:
    now = utc("2026-03-02 12:00")
    assert list(running_spans(now, None, [])) == [(now, FOREVER)]
    assert moment_after(now, 24 * HOUR, None, []) == utc("2026-03-03 12:00")


def test_what_is_left_in_the_evening_goes_on_in_the_morning() -> None:
    """20:00 in Berlin is 19:00 UTC in winter. Two hours run until 22:00, and the third from 8:00 on."""
    begun = utc("2026-01-12 19:00")
    assert moment_after(begun, 2 * HOUR, BERLIN, []) == utc("2026-01-12 21:00")
    assert moment_after(begun, 3 * HOUR, BERLIN, []) == utc("2026-01-13 08:00")
    assert elapsed(begun, utc("2026-01-13 08:00"), BERLIN, []) == 3 * HOUR


def test_a_turn_that_begins_outside_the_hours_waits_for_them() -> None:
    begun = utc("2026-01-12 02:00")
    assert elapsed(begun, utc("2026-01-12 07:00"), BERLIN, []) == timedelta(0)
    assert moment_after(begun, HOUR, BERLIN, []) == utc("2026-01-12 08:00")
    assert BERLIN.pause(begun) == "playing_hours"
    assert BERLIN.pause(utc("2026-01-12 07:00")) == ""


def test_hours_may_go_on_after_midnight() -> None:
    assert NIGHTS.day == 8 * HOUR
    begun = utc("2026-01-12 17:00")  # 18:00 in Berlin
    assert moment_after(begun, 8 * HOUR, NIGHTS, []) == utc("2026-01-13 01:00")
    assert moment_after(begun, 9 * HOUR, NIGHTS, []) == utc("2026-01-13 18:00")
    assert NIGHTS.pause(utc("2026-01-13 00:59")) == ""
    assert NIGHTS.pause(utc("2026-01-13 01:00")) == "playing_hours"


def test_the_same_hour_twice_is_all_day() -> None:
    assert Hours("UTC", 7, 7, weekend_pause=False).day == 24 * HOUR


def test_a_clock_stands_still_over_the_weekend() -> None:
    """On Friday at 20:00 in Berlin a day is left: four hours run until midnight, and twenty from Monday on."""
    begun = utc("2026-01-16 19:00")
    assert moment_after(begun, 24 * HOUR, WORKDAYS, []) == utc("2026-01-19 19:00")
    assert WORKDAYS.pause(utc("2026-01-17 12:00")) == "weekend"
    assert WORKDAYS.pause(utc("2026-01-18 23:00")) == ""  # Monday in Berlin


@pytest.mark.parametrize(
    ("begun", "after_a_day"),
    [
        ("2026-03-28 12:00", "2026-03-29 12:00"),  # clocks go forward: 13:00 in Berlin, then 14:00
        ("2026-10-24 12:00", "2026-10-25 12:00"),
    ],
)
def test_without_hours_a_day_is_24_hours_whatever_the_place_does(begun: str, after_a_day: str) -> None:
    assert moment_after(utc(begun), 24 * HOUR, None, []) == utc(after_a_day)


def test_playing_hours_go_by_the_clock_on_the_wall_on_both_sides_of_a_change() -> None:
    """8:00 in Berlin is 7:00 UTC in winter and 6:00 in summer."""
    saturday = utc("2026-03-28 07:00")
    assert moment_after(saturday, 15 * HOUR, BERLIN, []) == utc("2026-03-29 07:00")  # an hour after 8:00 in summer time
    assert elapsed(saturday, utc("2026-03-30 06:00"), BERLIN, []) == 28 * HOUR
    saturday = utc("2026-10-24 06:00")
    assert moment_after(saturday, 15 * HOUR, BERLIN, []) == utc("2026-10-25 08:00")
    assert elapsed(saturday, utc("2026-10-26 07:00"), BERLIN, []) == 28 * HOUR


def test_an_hour_that_is_left_out_or_comes_twice_is_counted_as_long_as_it_lasts() -> None:
    early = Hours("Europe/Berlin", 1, 5, weekend_pause=False)
    midnight = utc("2026-03-28 23:00")
    assert elapsed(midnight, midnight + 12 * HOUR, early, []) == 3 * HOUR
    midnight = utc("2026-10-24 22:00")
    assert elapsed(midnight, midnight + 12 * HOUR, early, []) == 5 * HOUR
    left_out = Hours("Europe/Berlin", 2, 3, weekend_pause=False)
    assert left_out.on(datetime(2026, 3, 29).date()) == []


def test_the_hours_of_a_zone_across_the_date_line_are_its_own_days() -> None:
    apia = Hours("Pacific/Apia", 0, 24, weekend_pause=True)
    assert apia.pause(utc("2026-01-16 12:00")) == "weekend"  # Saturday in Apia, Friday in Berlin
    assert apia.pause(utc("2026-01-18 12:00")) == ""


def test_a_stop_takes_out_its_time_and_says_why() -> None:
    begun = utc("2026-01-12 07:00")
    away = Stop(utc("2026-01-12 12:00"), utc("2026-01-14 12:00"), "vacation")
    assert moment_after(begun, 6 * HOUR, None, [away]) == utc("2026-01-14 13:00")
    assert moment_after(begun, 5 * HOUR, None, [away]) == utc("2026-01-12 12:00")
    assert why_paused(utc("2026-01-13 12:00"), BERLIN, [away]) == "vacation"
    assert why_paused(utc("2026-01-14 12:00"), BERLIN, [away]) == ""


def test_stops_that_overlap_count_once() -> None:
    begun = utc("2026-01-12 00:00")
    stops = [
        Stop(begun + 1 * HOUR, begun + 5 * HOUR, "vacation"),
        Stop(begun + 2 * HOUR, begun + 3 * HOUR, "outage"),
        Stop(begun + 4 * HOUR, begun + 6 * HOUR, "vacation"),
    ]
    assert elapsed(begun, begun + 10 * HOUR, None, stops) == 5 * HOUR


moments = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)).map(lambda each: each.replace(tzinfo=UTC))
lengths = st.timedeltas(timedelta(0), timedelta(days=20))
calendars = st.one_of(
    st.none(),
    st.builds(
        Hours,
        st.sampled_from(["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "UTC"]),
        st.integers(0, 23),
        st.integers(0, 24),
        st.booleans(),
    ),
)
stops_of_a_year = st.lists(st.builds(lambda at, long: Stop(at, at + long, "vacation"), moments, lengths), max_size=4)


@given(moments, lengths, calendars, stops_of_a_year)
def test_a_deadline_is_the_first_moment_at_which_the_time_has_been_used(
    begun: datetime, amount: timedelta, hours: Hours | None, stops: list[Stop]
) -> None:
    stops.sort()
    due = moment_after(begun, amount, hours, stops)
    assert elapsed(begun, due, hours, stops) == amount
    if amount:
        assert elapsed(begun, due - timedelta(microseconds=1), hours, stops) < amount


@given(moments, lengths, lengths, calendars, stops_of_a_year)
def test_time_that_passes_in_two_parts_is_as_long_as_in_one(
    begun: datetime, first: timedelta, second: timedelta, hours: Hours | None, stops: list[Stop]
) -> None:
    stops.sort()
    middle, end = begun + first, begun + first + second
    parts = elapsed(begun, middle, hours, stops) + elapsed(middle, end, hours, stops)
    assert parts == elapsed(begun, end, hours, stops) <= end - begun


@given(moments, calendars, stops_of_a_year)
def test_a_clock_is_paused_exactly_when_no_time_passes(at: datetime, hours: Hours | None, stops: list[Stop]) -> None:
    stops.sort()
    moves = elapsed(at, at + timedelta(microseconds=1), hours, stops) > timedelta(0)
    assert moves == (why_paused(at, hours, stops) == "")
