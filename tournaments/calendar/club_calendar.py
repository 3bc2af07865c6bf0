"""The calendar of a club: which rounds of its leagues opened, or are planned to, on which day of a month."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Count, Max, Min
from django.db.models.functions import TruncDate
from django.http import Http404
from django.utils.translation import gettext as _

from games.common import clock
from tournaments.calendar.month_grid import Month, weeks_of
from tournaments.calendar.timetable import rounds_to_come
from tournaments.clubs.models import Club
from tournaments.seasons.models import League, Round, Season

MAX_SEASONS: Final = 100  # seasons whose planned rounds are listed
YEARS: Final = range(2000, 2101)


@dataclass(slots=True)
class CalendarItem:
    """A league's rounds on one day: rounds `first` to `last` of a season, or a number of rounds of several seasons."""

    league: League
    season: Season
    first: int
    last: int
    rounds: int
    seasons: int
    at: datetime
    planned: bool


@dataclass(slots=True)
class ClubDay:
    """A day of the month with its items in order of time; `day` is None at the edges of the grid."""

    date: date | None
    lines: list[CalendarItem] = field(default_factory=list)


class ClubMonth(Month[ClubDay]):
    """A month of a club."""

    @property
    def days(self) -> list[ClubDay]:
        """Return the days on which something happens."""
        return [day for week in self.weeks for day in week if day.lines]


def parse_month(text: str, zone: str) -> date:
    """Return the first day of the month named by `text` (“2026-11”), or of this month for "". Raises Http404."""
    if not text:
        return clock.now().astimezone(ZoneInfo(zone)).date().replace(day=1)
    year, _dash, month = text.partition("-")
    is_one = len(text) == 7 and text.isascii() and year.isdecimal() and month.isdecimal()
    if is_one and int(year) in YEARS and 1 <= int(month) <= 12:
        return date(int(year), int(month), 1)
    raise Http404(_("There is no such month."))


def month_of(club: Club, first: date) -> ClubMonth:
    """Return the month of `club` that begins on `first`, in the club's time zone. Four queries."""
    month = ClubMonth(first, weeks_of(first, ClubDay))
    by_date = {day.date: day for week in month.weeks for day in week if day.date}
    zone = ZoneInfo(club.zone)
    begins, ends = (datetime.combine(day, time(), zone) for day in (first, month.after))
    lines = [*_opened_rounds(club, begins, ends), *_planned_rounds(club, begins, ends)]
    for line in sorted(lines, key=lambda line: line.at):
        by_date[line.at.astimezone(zone).date()].lines.append(line)
    return month


def _opened_rounds(club: Club, begins: datetime, ends: datetime) -> list[CalendarItem]:
    """Yield the rounds that opened, by day and league. Two queries, however many rounds there are."""
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
        lines.append(CalendarItem(season.league, season, planned=False, **counted))
    return lines


def _planned_rounds(club: Club, begins: datetime, ends: datetime) -> Iterator[CalendarItem]:
    """Yield the planned rounds of seasons that are open or under way. Two queries."""
    live = Season.objects.filter(league__club=club, status__in=(Season.Status.OPEN, Season.Status.RUNNING))
    for season in live.select_related("league__club")[:MAX_SEASONS]:
        yield from _season_items(season, begins, ends)


def _season_items(season: Season, begins: datetime, ends: datetime) -> Iterator[CalendarItem]:
    zone = begins.tzinfo
    lines: dict[date, CalendarItem] = {}
    for number, at in rounds_to_come(season).items():
        if not begins <= at < ends:
            continue
        day = at.astimezone(zone).date()
        if day in lines:
            lines[day].last, lines[day].rounds = number, lines[day].rounds + 1
        else:
            lines[day] = CalendarItem(season.league, season, number, number, 1, 1, at, planned=True)
    yield from lines.values()
