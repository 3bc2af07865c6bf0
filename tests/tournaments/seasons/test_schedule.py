"""The times at which rounds open and close: rules, days off, and clock changes in spring and autumn."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tournaments.seasons.schedule import (
    SECONDS_PER_DAY,
    SECONDS_PER_WEEK,
    CalendarError,
    CalendarRule,
    SeasonCalendar,
    Weekly,
    every_seconds,
    parse_calendar,
    parse_weekly,
)

DUBLIN, NEW_YORK, LORD_HOWE = "Europe/Dublin", "America/New_York", "Australia/Lord_Howe"
THURSDAY = datetime(2026, 10, 22, 19, 0, tzinfo=UTC)  # 20:00 in Dublin, in summer time


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def dates(starts_at: datetime, zone: str, **data: Any) -> SeasonCalendar:
    return SeasonCalendar(parse_calendar(data), starts_at, zone)


def walls(found: SeasonCalendar, rounds: int) -> list[str]:
    """Return when the rounds open, by the local time of the club."""
    return [f"{moment.astimezone(ZoneInfo(found.zone)):%a %d %b %H:%M}" for moment in found.opens(rounds)]


def test_first_round_opens_with_the_season() -> None:
    assert SeasonCalendar(every_seconds(SECONDS_PER_WEEK), THURSDAY, DUBLIN).opens_at(1) == THURSDAY


def test_weekly_round_keeps_its_hour_when_the_clocks_change() -> None:
    """Summer time ends on 25 October 2026: 20:00 in Dublin is 20:00 UTC from then on."""
    assert SeasonCalendar(every_seconds(SECONDS_PER_WEEK), THURSDAY, DUBLIN).opens_at(2) == datetime(
        2026, 10, 29, 20, 0, tzinfo=UTC
    )


def test_shorter_rounds_are_counted_in_seconds() -> None:
    assert SeasonCalendar(every_seconds(25), THURSDAY, DUBLIN).opens_at(13) == THURSDAY + timedelta(seconds=300)


def test_rounds_of_two_evenings_a_week_keep_their_hour_over_both_changes() -> None:
    autumn = dates(at("2026-10-21T00:00", DUBLIN), DUBLIN, rule="weekdays", times=["Tuesdays and Fridays 19:00"])
    assert walls(autumn, 4) == ["Fri 23 Oct 19:00", "Tue 27 Oct 19:00", "Fri 30 Oct 19:00", "Tue 03 Nov 19:00"]
    assert [each.hour for each in autumn.opens(2)] == [18, 19]  # UTC
    spring = dates(at("2027-03-26T00:00", DUBLIN), DUBLIN, rule="weekdays", times=["Tuesdays and Fridays 19:00"])
    assert [each.hour for each in spring.opens(2)] == [19, 18]


@pytest.mark.parametrize(
    ("zone", "wall", "utc"),
    [
        (DUBLIN, "2027-03-28 01:30", "2027-03-28T01:30"),  # 01:00 becomes 02:00: read as before, 02:30 in summer time
        (NEW_YORK, "2027-03-14 02:30", "2027-03-14T07:30"),  # 02:00 becomes 03:00
        (LORD_HOWE, "2026-10-04 02:15", "2026-10-03T15:45"),  # 02:00 becomes 02:30: half an hour only
        (DUBLIN, "2026-10-25 01:30", "2026-10-25T00:30"),  # comes twice: the first, still in summer time
        (NEW_YORK, "2026-11-01 01:30", "2026-11-01T05:30"),
        (LORD_HOWE, "2027-04-04 01:45", "2027-04-03T14:45"),
    ],
)
def test_a_time_that_is_skipped_is_later_and_of_one_that_comes_twice_the_first_counts(
    zone: str, wall: str, utc: str
) -> None:
    found = dates(at("2026-01-01T00:00"), zone, rule="dates", dates=[wall])
    assert found.opens_at(1) == at(utc)


@pytest.mark.parametrize("zone", [DUBLIN, NEW_YORK, LORD_HOWE])
@given(hour=st.integers(0, 23), minute=st.sampled_from([0, 15, 30, 45]), start=st.integers(0, 700))
def test_rounds_rise_and_show_their_hour_on_every_day_that_has_it(
    zone: str, hour: int, minute: int, start: int
) -> None:
    first = at("2026-01-01T00:00") + timedelta(days=start)
    found = dates(first, zone, rule="weekdays", times=[f"sun {hour}:{minute:02}"])
    opens = found.opens(60)
    assert opens == sorted(set(opens))
    assert opens[0] >= first
    shown = [each.astimezone(ZoneInfo(zone)) for each in opens]
    odd = [each for each in shown if (each.hour, each.minute) != (hour, minute)]
    assert len(odd) <= 2  # the clocks go forward once a year
    assert all(each.weekday() == 6 for each in shown)


@pytest.mark.parametrize("zone", [DUBLIN, NEW_YORK, LORD_HOWE])
@given(
    times=st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 15, 30, 45])), min_size=2, max_size=4),
    start=st.integers(0, 700),
)
@example(times=[(1, 45), (2, 15)], start=80)  # in Dublin, 01:45 is 02:45 on 29 March 2026, after 02:15
def test_rounds_of_one_morning_rise_and_end_with_the_next(zone: str, times: list[tuple[int, int]], start: int) -> None:
    first = at("2026-01-01T00:00") + timedelta(days=start)
    found = dates(first, zone, rule="weekdays", times=[f"sun {hour}:{minute:02}" for hour, minute in times])
    opens = found.opens(120)
    assert opens == sorted(set(opens))
    assert list(islice(found.closings(1), 119)) == opens[1:]


def test_listed_dates_rise_where_one_is_skipped() -> None:
    found = dates(at("2027-03-01T00:00"), DUBLIN, rule="dates", dates=["2027-03-28 01:45", "2027-03-28 02:15"])
    assert found.opens(3) == [at("2027-03-28T01:15"), at("2027-03-28T01:45"), at("2027-04-04T02:15", DUBLIN)]


@pytest.mark.parametrize("start", ["2026-10-22T00:00", "2027-03-25T00:00"])
def test_short_rounds_that_a_pause_moved_end_when_the_next_opens(start: str) -> None:
    found = replace(dates(at(start), DUBLIN, seconds=1800), delay_seconds=2 * SECONDS_PER_DAY)
    opens = list(islice(found.openings(1), 200))
    assert opens == sorted(set(opens))
    assert list(islice(found.closings(1), 199)) == opens[1:]


def test_days_off_are_left_out_and_the_round_before_is_not_longer_for_it() -> None:
    found = dates(
        at("2026-12-14T00:00", DUBLIN), DUBLIN, rule="weekdays", times=["tue 19:00", "fri 19:00"],
        off=["2026-12-25", "2026-12-29/2027-01-04"],
    )  # fmt: skip
    assert walls(found, 5) == [
        "Tue 15 Dec 19:00",
        "Fri 18 Dec 19:00",
        "Tue 22 Dec 19:00",
        "Tue 05 Jan 19:00",
        "Fri 08 Jan 19:00",
    ]
    assert found.closes_at(3) == at("2026-12-25T19:00", DUBLIN)


def test_any_day_of_a_week_off_will_do_where_rounds_are_weekly() -> None:
    """Rounds are on Thursdays. The Tuesday in the week of 11 February is off, so that week has no round."""
    found = dates(at("2027-01-28T19:00", DUBLIN), DUBLIN, rule="every", seconds=SECONDS_PER_WEEK, off=["2027-02-09"])
    assert walls(found, 3) == ["Thu 28 Jan 19:00", "Thu 04 Feb 19:00", "Thu 18 Feb 19:00"]
    assert found.closes_at(2) == at("2027-02-11T19:00", DUBLIN)


def test_listed_dates_are_those_of_the_club_and_go_on_weekly() -> None:
    listed = ["2026-10-31 20:00", "2026-09-12T20:00", "2026-08-01 20:00"]
    found = dates(at("2026-09-01T00:00"), NEW_YORK, rule="dates", dates=listed)
    assert walls(found, 4) == ["Sat 12 Sep 20:00", "Sat 31 Oct 20:00", "Sat 07 Nov 20:00", "Sat 14 Nov 20:00"]


def test_a_round_is_open_until_the_next_or_for_its_window() -> None:
    assert SeasonCalendar(every_seconds(SECONDS_PER_WEEK), THURSDAY, DUBLIN).closes_at(1) == datetime(
        2026, 10, 29, 20, 0, tzinfo=UTC
    )
    assert dates(THURSDAY, DUBLIN, seconds=SECONDS_PER_WEEK, window=48).closes_at(1) == THURSDAY + timedelta(hours=48)
    evenings = dates(THURSDAY, DUBLIN, rule="weekdays", times=["tue 19:00", "fri 19:00"], window=24)
    assert list(islice(evenings.closings(2), 2)) == [at("2026-10-28T19:00", DUBLIN), at("2026-10-31T19:00", DUBLIN)]
    paused = replace(dates(THURSDAY, DUBLIN, seconds=SECONDS_PER_WEEK, window=48), delay_seconds=SECONDS_PER_DAY)
    assert paused.closes_at(2) == at("2026-11-01T20:00", DUBLIN)


@pytest.mark.parametrize(
    ("starts", "window", "ends"),
    [
        ("2026-10-22T20:00", 168, "2026-10-29T20:00"),
        ("2026-10-23T19:00", 53, "2026-10-26T00:00"),
        ("2027-03-26T19:00", 53, "2027-03-29T00:00"),
    ],
)
def test_a_window_of_days_ends_by_the_local_clock_also_if_that_changes(starts: str, window: int, ends: str) -> None:
    assert dates(at(starts, DUBLIN), DUBLIN, seconds=SECONDS_PER_WEEK, window=window).closes_at(1) == at(ends, DUBLIN)


def test_a_window_of_hours_is_as_long_as_it_says() -> None:
    evening = at("2026-10-24T23:00", DUBLIN)
    assert dates(evening, DUBLIN, seconds=SECONDS_PER_WEEK, window=6).closes_at(1) == evening + timedelta(hours=6)


@pytest.mark.parametrize(
    "rule",
    [
        {"seconds": 3600},
        {"seconds": SECONDS_PER_WEEK, "off": ["2026-11-12/2026-11-30"]},
        {"seconds": SECONDS_PER_WEEK, "window": 48},
        {"rule": "weekdays", "times": ["tue 19:00", "fri 19:00"], "off": ["2026-10-27", "2026-12-29/2027-01-04"]},
        {"rule": "dates", "dates": ["2026-11-05 20:00", "2026-12-12 20:00"]},
        {"rule": "weekdays", "times": ["sun 01:30", "sun 02:30"]},  # one moment on 28 March
    ],
)
def test_the_ends_of_rounds_that_follow_are_those_of_each_round(rule: dict[str, Any]) -> None:
    found = replace(dates(THURSDAY, DUBLIN, **rule), delay_seconds=2 * SECONDS_PER_DAY)
    assert list(islice(found.closings(3), 60)) == [found.closes_at(number) for number in range(3, 63)]


def test_who_does_not_agree_plays_at_the_last_such_time_of_the_window() -> None:
    found = dates(THURSDAY, DUBLIN, seconds=2 * SECONDS_PER_WEEK, match_time="agreed", fallback_time="Sundays 18:00")
    opens, closes = found.opens_at(1), found.closes_at(1)
    assert found.fallback_time(opens, closes) == at("2026-11-01T18:00", DUBLIN)
    assert found.fallback_time(opens, opens + timedelta(hours=20)) == opens  # no Sunday in it
    assert dates(THURSDAY, DUBLIN, match_time="agreed").fallback_time(opens, closes) == opens


@pytest.mark.parametrize(
    ("night", "opens", "plays"),
    [
        ([0, 6], "2026-10-22T20:00", "2026-10-23T00:00"),
        ([0, 6], "2026-10-22T03:10", "2026-10-22T03:10"),
        ([22, 5], "2026-10-22T20:00", "2026-10-22T22:00"),
        ([22, 5], "2026-10-22T23:30", "2026-10-22T23:30"),
        ([22, 5], "2026-10-22T04:59", "2026-10-22T04:59"),
        ([1, 3], "2026-10-24T12:00", "2026-10-25T01:00"),  # the hour that comes twice
    ],
)
def test_bots_play_in_the_first_hour_of_the_night(night: list[int], opens: str, plays: str) -> None:
    found = dates(THURSDAY, DUBLIN, bots="at_night", night=night)
    assert found.for_bots(at(opens, DUBLIN)) == at(plays, DUBLIN)


def test_bots_play_with_the_round_where_nothing_is_said() -> None:
    assert SeasonCalendar(CalendarRule(), THURSDAY, DUBLIN).for_bots(THURSDAY) == THURSDAY


def test_times_of_the_week_are_read_as_people_write_them() -> None:
    assert parse_weekly("Tuesdays and Fridays 19:00; Sunday 9:30") == [Weekly(1, 1140), Weekly(4, 1140), Weekly(6, 570)]
    assert parse_weekly("mon 20:00 & thu 18:15") == [Weekly(0, 1200), Weekly(3, 1095)]
    assert parse_weekly("Tue., Thu. 19.30") == [Weekly(1, 1170), Weekly(3, 1170)]
    assert parse_weekly("every Monday at 7pm") == [Weekly(0, 1140)]
    assert parse_weekly("Sun 12 p.m., Mon 12:30 am, Tue 8 o'clock") == [Weekly(6, 720), Weekly(0, 30), Weekly(1, 480)]
    assert parse_weekly("Sat-Mon 9:00") == [Weekly(5, 540), Weekly(6, 540), Weekly(0, 540)]


def test_a_calendar_comes_back_from_its_data_as_it_was() -> None:
    data = {
        "rule": "weekdays",
        "seconds": SECONDS_PER_DAY,
        "times": ["tue 19:00", "fri 19:00"],
        "dates": ["2027-01-14T19:00"],
        "off": ["2026-12-24/2027-01-03", "2027-03-17"],
        "window": 72,
        "match_time": "agreed",
        "fallback_time": "sun 18:00",
        "bots": "at_night",
        "night": [22, 5],
    }
    assert parse_calendar(data).plain() == data
    assert parse_calendar(parse_calendar({}).plain()) == CalendarRule()


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"rule": "moonlight"}, "rule"),
        ({"rule": "weekdays"}, "times"),
        ({"rule": "weekdays", "times": ["Tuesday"]}, "times"),
        ({"rule": "weekdays", "times": ["19:00"]}, "times"),
        ({"rule": "weekdays", "times": ["Tuesday 25:00"]}, "times"),
        ({"rule": "weekdays", "times": ["some day 19:00"]}, "times"),
        ({"rule": "weekdays", "times": "tue 19:00"}, "times"),
        ({"rule": "dates"}, "dates"),
        ({"rule": "dates", "dates": ["tomorrow"]}, "dates"),
        ({"rule": "dates", "dates": ["2026-10-31T20:00+02:00"]}, "dates"),
        ({"rule": "dates", "dates": ["9999-12-31 20:00"]}, "dates"),
        ({"seconds": 0}, "seconds"),
        ({"seconds": True}, "seconds"),
        ({"seconds": 367 * SECONDS_PER_DAY}, "seconds"),
        ({"off": ["2026-12-24/2026-12-01"]}, "off"),
        ({"off": ["2026-12-24/2028-12-25"]}, "off"),
        ({"off": ["Christmas"]}, "off"),
        ({"off": ["2026-12-24"] * 201}, "off"),
        ({"window": -1}, "window"),
        ({"match_time": "perhaps"}, "match_time"),
        ({"fallback_time": "Sundays"}, "fallback_time"),
        ({"fallback_time": "sat and sun 19:00"}, "fallback_time"),
        ({"bots": "never"}, "bots"),
        ({"night": [3, 3]}, "night"),
        ({"night": 3}, "night"),
        ({"weather": "fine"}, "weather"),
    ],
)
def test_a_calendar_that_makes_no_sense_is_refused_with_the_part_that_is_wrong(
    data: dict[str, Any], field: str
) -> None:
    with pytest.raises(CalendarError) as refused:
        parse_calendar(data)
    assert refused.value.field == field
