"""The calendar of a club: which rounds of its leagues opened, or are planned to, on which day of a month."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Count, Max, Min
from django.db.models.functions import TruncDate
from django.http import Http404

from games.common import clock
from tournaments.calendar.timetable import rounds_to_come
from tournaments.models import Club, League, Round, Season

MOST_SEASONS: Final = 100  # open and running, of which the rounds to come are counted
YEARS: Final = range(2000, 2101)


@dataclass(slots=True)
class Line:
    """What happens in a league on one day: rounds `first` … `last` of a season, or so many rounds of several."""

    league: League
    season: Season
    first: int
    last: int
    rounds: int
    seasons: int
    at: datetime
    planned: bool


@dataclass(slots=True)
class Day:
    """A day of the month, None at the grid's edges; its lines by time."""

    date: date | None
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Month:
    """A month by weeks, Monday first; `days` are those on which something happens."""

    first: date
    weeks: list[list[Day]]
    before: date
    after: date

    @property
    def days(self) -> list[Day]:
        return [day for week in self.weeks for day in week if day.lines]


def first_of(text: str, zone: str) -> date:
    """The first of the month that `text` names as 2026-11, of the present one for "". Raises Http404."""
    if not text:
        return clock.now().astimezone(ZoneInfo(zone)).date().replace(day=1)
    year, _dash, month = text.partition("-")
    is_one = len(text) == 7 and text.isascii() and year.isdecimal() and month.isdecimal()
    if is_one and int(year) in YEARS and 1 <= int(month) <= 12:
        return date(int(year), int(month), 1)
    raise Http404("There is no such month.")


def month_of(club: Club, first: date) -> Month:
    """The month of `club` that begins on `first`, by the club's clock. Four queries."""
    weeks = [
        [Day(day if day.month == first.month else None) for day in week]
        for week in calendar.Calendar().monthdatescalendar(first.year, first.month)
    ]
    by_date = {day.date: day for week in weeks for day in week if day.date}
    zone = ZoneInfo(club.zone)
    after = _next(first)
    begins, ends = (datetime.combine(day, time(), zone) for day in (first, after))
    lines = [*_opened(club, begins, ends), *_planned(club, begins, ends)]
    for line in sorted(lines, key=lambda line: line.at):
        by_date[line.at.astimezone(zone).date()].lines.append(line)
    return Month(first, weeks, _previous(first), after)


def _next(first: date) -> date:
    return date(first.year + first.month // 12, first.month % 12 + 1, 1)


def _previous(first: date) -> date:
    return date(first.year - (first.month == 1), (first.month - 2) % 12 + 1, 1)


def _opened(club: Club, begins: datetime, ends: datetime) -> list[Line]:
    """The rounds that opened, by day and league, however many they were. Two queries."""
    rounds = Round.objects.filter(
        division__season__league__club=club, opened_at__gte=begins, opened_at__lt=ends
    ).annotate(day=TruncDate("opened_at", tzinfo=begins.tzinfo))
    found = (
        rounds.order_by("day")
        .values("day", "division__season__league")
        .annotate(
            first=Min("number"),
            last=Max("number"),
            rounds=Count("pk"),
            seasons=Count("division__season", distinct=True),
            season=Max("division__season"),
            at=Min("opened_at"),
        )
    )
    rows = list(found)
    seasons = Season.objects.select_related("league__club").in_bulk({row["season"] for row in rows})
    lines = []
    for row in rows:
        season = seasons[row["season"]]
        counted = {name: row[name] for name in ("first", "last", "rounds", "seasons", "at")}
        lines.append(Line(season.league, season, planned=False, **counted))
    return lines


def _planned(club: Club, begins: datetime, ends: datetime) -> Iterator[Line]:
    """The rounds to come of the seasons that are open or under way. Two queries."""
    live = Season.objects.filter(league__club=club, status__in=(Season.Status.OPEN, Season.Status.RUNNING))
    for season in live.select_related("league__club")[:MOST_SEASONS]:
        yield from _grouped(season, begins, ends)


def _grouped(season: Season, begins: datetime, ends: datetime) -> Iterator[Line]:
    zone = begins.tzinfo
    lines: dict[date, Line] = {}
    for number, at in rounds_to_come(season).items():
        if not begins <= at < ends:
            continue
        day = at.astimezone(zone).date()
        if day in lines:
            lines[day].last, lines[day].rounds = number, lines[day].rounds + 1
        else:
            lines[day] = Line(season.league, season, number, number, 1, 1, at, planned=True)
    yield from lines.values()
