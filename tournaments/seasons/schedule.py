"""Computes when rounds open and close, by a rule in the club's time zone. Pure: it never asks for the present time.

Times are local times (Tuesdays 19:00), also across changes of daylight saving. A local time that is skipped in spring
is read as if the clocks had not gone forward yet (01:30 is 02:30), and is no second time if 02:30 is one already; of
one that occurs twice in autumn, the first is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import count, islice, takewhile
from typing import Any, Final
from zoneinfo import ZoneInfo

from scorebook_games.presentation.text import gettext as _

SECONDS_PER_DAY: Final = 24 * 60 * 60
SECONDS_PER_WEEK: Final = 7 * SECONDS_PER_DAY
MAX_ROUND_SECONDS: Final = 366 * SECONDS_PER_DAY
MAX_LISTED_VALUES: Final = 200  # times, dates or periods of days off
MAX_DAYS_OFF: Final = 366  # days in one period
MAX_WINDOW_HOURS: Final = 366 * 24

RULE_EVERY, RULE_WEEKDAYS, RULE_DATES = "every", "weekdays", "dates"
RULES: Final = (RULE_EVERY, RULE_WEEKDAYS, RULE_DATES)
MEET_FIXED, MEET_AGREED = "fixed", "agreed"
MEETINGS: Final = (MEET_FIXED, MEET_AGREED)
BOTS_WITH_ROUND, BOTS_AT_ONCE, BOTS_AT_NIGHT = "with_round", "at_once", "at_night"
BOT_TIMES: Final = (BOTS_WITH_ROUND, BOTS_AT_ONCE, BOTS_AT_NIGHT)
DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_DAY: Final = r"(mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?"
_CLOCK: Final = (
    r"(\d{1,2})(?:[:.](\d{2})(?!\d)|(?=\s*(?:[ap]\.?m\b|o.?clock|h\b)))\s*(?:([ap])\.?m\b\.?|o.?clock\b|h\b)?"
)
_WEEKLY: Final = re.compile(rf"{_DAY}|{_CLOCK}|([-–]|to\b|until\b)|[,;&/+]|(?:and|every|each|at|on)\b")


class CalendarError(ValueError):
    """An error in a calendar; `field` is the part with the error, as `times`."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field, self.sentence = field, sentence


@dataclass(frozen=True, slots=True, order=True)
class Weekly:
    """A time of every week: `weekday` 0 (Monday) … 6, `minute` of the day."""

    weekday: int
    minute: int

    def __str__(self) -> str:
        return f"{DAYS[self.weekday]} {self.minute // 60:02}:{self.minute % 60:02}"

    def on(self, week: date) -> datetime:
        """Return its local time in the week that begins on the Monday `week`."""
        return datetime.combine(week + timedelta(days=self.weekday), time(self.minute // 60, self.minute % 60))


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarRule:
    """The rule by which rounds open, and how the matches of a round get their times.

    `rule`: `every` (every `seconds` from the first round on; intervals of whole days keep their local time), `weekdays`
    (at `times`), or `dates` (local times; weekly after the last one). Rounds on days `off` are skipped; if rounds are
    whole weeks apart, one day off skips its whole week. `match_time`: whether people's matches begin with the round, or
    when their players agree within the window. Without an agreement they begin at `fallback_time` (the last one before
    the window closes; None: when it opens). A round is open for `window` hours, which from a day on are hours of the
    local clock; 0: until the next one would open. `bots`: matches between bots begin with their round, at_once (a
    season of bots then has no dates), or at_night, from hour `night[0]` to `night[1]`.
    """

    rule: str = RULE_EVERY
    seconds: int = SECONDS_PER_WEEK
    times: tuple[Weekly, ...] = ()
    dates: tuple[datetime, ...] = ()
    off: tuple[tuple[date, date], ...] = ()
    window: int = 0
    match_time: str = MEET_FIXED
    fallback_time: Weekly | None = None
    bots: str = BOTS_WITH_ROUND
    night: tuple[int, int] = (0, 6)

    def plain(self) -> dict[str, Any]:
        """Return the complete rule as JSON data for `parse_calendar`."""
        return {
            "rule": self.rule,
            "seconds": self.seconds,
            "times": [str(time) for time in self.times],
            "dates": [f"{date:%Y-%m-%dT%H:%M}" for date in self.dates],
            "off": [f"{first}" if first == last else f"{first}/{last}" for first, last in self.off],
            "window": self.window,
            "match_time": self.match_time,
            "fallback_time": str(self.fallback_time) if self.fallback_time else "",
            "bots": self.bots,
            "night": list(self.night),
        }

    def is_off(self, day: date) -> bool:
        """Return whether a round on this day is skipped."""
        if self.rule == RULE_EVERY and self.seconds % SECONDS_PER_WEEK == 0:
            first = day - timedelta(days=day.weekday())
            return any(one <= first + timedelta(days=6) and first <= last for one, last in self.off)
        return any(one <= day <= last for one, last in self.off)


def every_seconds(seconds: int) -> CalendarRule:
    """Return the rule for a round every so many seconds."""
    return CalendarRule(seconds=seconds)


@dataclass(frozen=True, slots=True)
class SeasonCalendar:
    """A season's calendar: the rule, the earliest opening of the first round, the time zone, and the delay by
    pauses."""

    calendar: CalendarRule
    starts_at: datetime
    zone: str
    delay_seconds: int = 0

    def opens_at(self, number: int) -> datetime:
        """Return when round `number` (1 …) is planned to open. If the round before closes later, it opens then.

        A delay moves rounds with a fixed interval by its length, and other rounds to the next times of their rule.
        """
        return next(self.openings(number))

    def openings(self, number: int) -> Iterator[datetime]:
        """Yield when round `number` and each round after it are planned to open."""
        return map(self._late, self._openings(number + self._left_out()))

    def closes_at(self, number: int) -> datetime:
        """Return when round `number` should end: at the end of its window, or else at the next time of the rule, even
        on a day off."""
        return next(self.closings(number))

    def window_ends(self, opens: datetime) -> datetime:
        """Return when the window of a round ends that opens then: one of a day or more at the same local time, also if
        the clocks change within it."""
        window = timedelta(hours=self.calendar.window)
        if self.calendar.window < 24:
            return opens + window
        return self._wall(opens.astimezone(ZoneInfo(self.zone)).replace(tzinfo=None) + window)

    def closings(self, number: int) -> Iterator[datetime]:
        """Yield when round `number` and each round after it should end."""
        first = number + self._left_out()
        if self.calendar.window:
            yield from (self.window_ends(self._late(opens)) for opens in self._openings(first))
        elif self.calendar.rule == RULE_EVERY and not self.calendar.off:
            yield from map(self._late, self._openings(first + 1))
        else:
            moments = self._moments()
            closes = next(moments)
            for opens in self._openings(first):
                while closes <= opens:
                    closes = next(moments)
                yield self._late(closes)

    def _late(self, moment: datetime) -> datetime:
        if self.calendar.rule != RULE_EVERY or not self.delay_seconds:
            return moment
        if self.calendar.seconds % SECONDS_PER_DAY:
            return moment + timedelta(seconds=self.delay_seconds)
        return SeasonCalendar(every_seconds(self.delay_seconds), moment, self.zone)._every(1)

    def _left_out(self) -> int:
        """Return how many times of the rule passed during pauses."""
        if self.calendar.rule == RULE_EVERY or not self.delay_seconds:
            return 0
        until = next(self._openings()) + timedelta(seconds=self.delay_seconds)
        return sum(1 for _ in takewhile(lambda moment: moment < until, self._openings()))

    def opens(self, rounds: int) -> list[datetime]:
        """Return when each of so many rounds opens without delays."""
        return list(islice(self._openings(), rounds))

    def fallback_time(self, opens: datetime, closes: datetime) -> datetime:
        """Return when matches begin whose players have not agreed on a time within a window."""
        weekly = self.calendar.fallback_time
        if weekly is None:
            return opens
        there = closes.astimezone(ZoneInfo(self.zone)).date()
        monday = there - timedelta(days=there.weekday())
        for back in range(MAX_WINDOW_HOURS // (7 * 24) + 2):
            moment = self._wall(weekly.on(monday - timedelta(weeks=back)))
            if moment < opens:
                break
            if moment < closes:
                return moment
        return opens

    def for_bots(self, opens: datetime) -> datetime:
        """Return when matches between bots begin that are paired at `opens`: at once, or in the next night if they play
        at night."""
        if self.calendar.bots != BOTS_AT_NIGHT:
            return opens
        local = opens.astimezone(ZoneInfo(self.zone))
        first, last = self.calendar.night
        if first <= local.hour < last if first < last else not last <= local.hour < first:
            return opens
        wall = local.replace(tzinfo=None, hour=first, minute=0, second=0, microsecond=0)
        return self._wall(wall if local.hour < first else wall + timedelta(days=1))

    def _openings(self, first: int = 1) -> Iterator[datetime]:
        """Yield when round `first` and each round after it open, without delays."""
        if self.calendar.rule == RULE_EVERY and not self.calendar.off:
            return (self._every(passed) for passed in count(first - 1))
        zone = ZoneInfo(self.zone)
        shown = (moment for moment in self._moments() if not self.calendar.is_off(moment.astimezone(zone).date()))
        return islice(shown, first - 1, None)

    def _moments(self) -> Iterator[datetime]:
        """Yield the times of the rule in ascending order, including days off."""
        if self.calendar.rule == RULE_EVERY:
            return (self._every(passed) for passed in count())
        lists = self._weekly() if self.calendar.rule == RULE_WEEKDAYS else self._listed()
        # sorted as UTC, because a time that is skipped in spring may come after a later one of the clocks
        moments = (moment for walls in lists for moment in sorted(set(map(self._wall, walls))))
        return (moment for moment in moments if moment >= self.starts_at)

    def _every(self, passed: int) -> datetime:
        seconds = self.calendar.seconds
        if seconds % SECONDS_PER_DAY or not passed:
            return self.starts_at + timedelta(seconds=seconds * passed)
        local = self.starts_at.astimezone(ZoneInfo(self.zone)).replace(tzinfo=None)
        return self._wall(local + timedelta(days=seconds // SECONDS_PER_DAY * passed))

    def _weekly(self) -> Iterator[list[datetime]]:
        first = self.starts_at.astimezone(ZoneInfo(self.zone)).date()
        monday = first - timedelta(days=first.weekday())
        return ([time.on(monday + timedelta(weeks=n)) for time in self.calendar.times] for n in count())

    def _listed(self) -> Iterator[list[datetime]]:
        yield list(self.calendar.dates)
        for week in count(1):
            yield [self.calendar.dates[-1] + timedelta(weeks=week)]

    def _wall(self, wall: datetime) -> datetime:
        """Return the UTC time at which the local clocks show `wall`."""
        return wall.replace(tzinfo=ZoneInfo(self.zone)).astimezone(UTC)


def parse_calendar(data: Mapping[str, Any]) -> CalendarRule:
    """Return the calendar from JSON data; missing parts have their defaults. Raises `CalendarError`."""
    for name in data:
        if name not in CalendarRule.__dataclass_fields__:
            raise CalendarError(name, _("A calendar has no part {name!r}.").format(name=name))
    calendar = CalendarRule(
        rule=_check_choice("rule", data.get("rule", RULE_EVERY), RULES),
        seconds=_parse_interval(data.get("seconds", SECONDS_PER_WEEK)),
        times=tuple(sorted(set(_parse_weeklies("times", data.get("times", ()))))),
        dates=tuple(sorted(set(_parse_dates(_check_list("dates", data.get("dates", ())))))),
        off=tuple(sorted(map(_parse_days_off, _check_list("off", data.get("off", ()))))),
        window=_check_whole("window", data.get("window", 0), 0, MAX_WINDOW_HOURS),
        match_time=_check_choice("match_time", data.get("match_time", MEET_FIXED), MEETINGS),
        fallback_time=_parse_fallback_time(data.get("fallback_time", "")),
        bots=_check_choice("bots", data.get("bots", BOTS_WITH_ROUND), BOT_TIMES),
        night=_parse_night(data.get("night", (0, 6))),
    )
    if calendar.rule == RULE_WEEKDAYS and not calendar.times:
        raise CalendarError("times", _("Enter the days and the time of rounds, such as “Tuesdays and Fridays 19:00”."))
    if calendar.rule == RULE_DATES and not calendar.dates:
        raise CalendarError("dates", _("List the dates of the rounds, such as “2027-01-14 19:00”."))
    return calendar


def parse_weekly(text: str) -> list[Weekly]:
    """Parse times of the week as people write them: “Tuesdays and Fridays 19:00, sun 11:00”, “Mon–Thu 7.30 pm”. A time
    belongs to the days before it. Raises `CalendarError` times."""
    found: list[Weekly] = []
    days: list[int] = []
    rest, through = text.strip().lower(), False
    while rest := rest.lstrip():
        match = _WEEKLY.match(rest)
        if match is None:
            raise CalendarError(
                "times",
                _("“{text}” is not a day or time. Write for example “Tuesdays and Fridays 19:00”.").format(
                    text=rest[:20]
                ),
            )
        day, hour, minute, half, to = match.groups()
        if day:
            days += _days_through(days[-1], DAYS.index(day)) if through and days else [DAYS.index(day)]
        elif hour:
            found += [Weekly(day, _parse_minute(int(hour), int(minute or 0), half)) for day in days]
            if not days:
                raise CalendarError("times", _("Name the day of the week, such as “Tuesdays 19:00”."))
            days = []
        through = bool(to)
        rest = rest[match.end() :]
    if days:
        raise CalendarError("times", _("Add the time, such as “Tuesdays 19:00”."))
    return found


def _days_through(first: int, last: int) -> list[int]:
    """Return the days after `first` up to `last`, around the end of the week."""
    return [(first + step) % 7 for step in range(1, (last - first) % 7 + 1)]


def _parse_minute(hour: int, minute: int, half: str | None = None) -> int:
    """Return the minute of the day; `half` is "a" or "p" for hours before or after noon, from 1 to 12."""
    if hour > (12 if half else 23) or minute > 59 or (half and not hour):
        raise CalendarError("times", _("{hour}:{minute:02} is not a time of day.").format(hour=hour, minute=minute))
    return (hour % 12 + 12 * (half == "p") if half else hour) * 60 + minute


def _check_choice(field: str, value: Any, known: Sequence[str]) -> str:
    if value not in known:
        raise CalendarError(
            field, _("It must be one of {known}, not {value!r}.").format(known=", ".join(known), value=value)
        )
    return str(value)


def _check_whole(field: str, value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise CalendarError(
            field,
            _("It must be a whole number from {least} to {most}, not {value!r}.").format(
                least=least, most=most, value=value
            ),
        )
    return value


def _parse_interval(value: Any) -> int:
    try:
        return _check_whole("seconds", value, 1, MAX_ROUND_SECONDS)
    except CalendarError:
        sentence = _("A round must last 1 to {most} seconds, not {value!r}.").format(
            most=MAX_ROUND_SECONDS, value=value
        )
        raise CalendarError("seconds", sentence) from None


def _check_list(field: str, value: Any) -> list[str]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(each, str) for each in value):
        raise CalendarError(field, _("It must be a list of texts."))
    if len(value) > MAX_LISTED_VALUES:
        raise CalendarError(
            field,
            _("The list may have at most {most} entries.").format(most=MAX_LISTED_VALUES),
        )
    return list(value)


def _parse_weeklies(field: str, value: Any) -> list[Weekly]:
    return [weekly for text in _check_list(field, value) for weekly in parse_weekly(text[:200])]


def _parse_dates(texts: Sequence[str]) -> list[datetime]:
    try:
        found = [datetime.fromisoformat(text.strip()) for text in texts]
    except ValueError:
        raise CalendarError("dates", _("Write dates with a time, such as “2027-01-14 19:00”.")) from None
    if any(each.tzinfo for each in found):
        raise CalendarError("dates", _("Dates are in the club's time zone. Leave out the zone."))
    if any(not 2000 <= each.year <= 2200 for each in found):
        raise CalendarError("dates", _("A date must be between the years 2000 and 2200."))
    return [each.replace(second=0, microsecond=0) for each in found]


def _parse_days_off(text: str) -> tuple[date, date]:
    first, _slash, last = text.partition("/")
    try:
        stretch = date.fromisoformat(first.strip()), date.fromisoformat((last or first).strip())
    except ValueError:
        raise CalendarError(
            "off", _("Write a day off as “2026-12-24”, and a period as “2026-12-24/2027-01-03”.")
        ) from None
    if not timedelta() <= stretch[1] - stretch[0] <= timedelta(days=MAX_DAYS_OFF):
        raise CalendarError("off", _("A period of days off must end after it begins, within one year."))
    return stretch


def _parse_fallback_time(value: Any) -> Weekly | None:
    if not value:
        return None
    try:
        (weekly,) = parse_weekly(str(value)[:40])
    except ValueError:
        raise CalendarError("fallback_time", _("Enter one time of the week, such as “Sunday 19:00”.")) from None
    return weekly


def _parse_night(value: Any) -> tuple[int, int]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise CalendarError("night", _("Give the hours at which the night begins and ends."))
    first, last = (_check_whole("night", hour, 0, 23) for hour in value)
    if first == last:
        raise CalendarError("night", _("The night must not begin and end at the same hour."))
    return first, last
