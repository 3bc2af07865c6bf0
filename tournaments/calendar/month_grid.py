"""A month by weeks, and the calendar of a season, month by month, as a page prints them. Pure."""

from __future__ import annotations

from calendar import Calendar
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Generic, TypeVar
from zoneinfo import ZoneInfo

Day = TypeVar("Day")


@dataclass(frozen=True, slots=True)
class Month(Generic[Day]):
    """A month by weeks, Monday first; days of other months are empty ones."""

    first: date
    weeks: tuple[tuple[Day, ...], ...]

    @property
    def before(self) -> date:
        """The first of the month before."""
        return date(self.first.year - (self.first.month == 1), (self.first.month - 2) % 12 + 1, 1)

    @property
    def after(self) -> date:
        """The first of the month after."""
        return date(self.first.year + self.first.month // 12, self.first.month % 12 + 1, 1)


def weeks_of(first: date, day_of: Callable[[date | None], Day]) -> tuple[tuple[Day, ...], ...]:
    """The weeks of the month that begins on `first`: `day_of` each date, or of None at the edges."""
    weeks = Calendar().monthdatescalendar(first.year, first.month)
    return tuple(tuple(day_of(day if day.month == first.month else None) for day in week) for week in weeks)


@dataclass(frozen=True, slots=True)
class GridDay:
    """A day of a month, None at its edges: the rounds that open on it, whether it is time to play or a day off."""

    date: date | None
    rounds: tuple[int, ...] = ()
    playing: bool = False
    off: bool = False

    @property
    def label(self) -> str:
        """R3, R3–5; empty where nothing opens."""
        if not self.rounds:
            return ""
        return f"R{self.rounds[0]}" + (f"–{self.rounds[-1]}" if len(self.rounds) > 1 else "")


def months_of(
    opens: Iterable[datetime], ends: datetime, zone: str, most: int, off: Callable[[date], bool] = lambda _day: False
) -> list[Month[GridDay]]:
    """The months in which rounds open, `most` at the most; days as the clock of `zone` counts them. `off` says which
    are days off."""
    there = ZoneInfo(zone)
    rounds: dict[date, list[int]] = {}
    for number, at in enumerate(opens, start=1):
        rounds.setdefault(at.astimezone(there).date(), []).append(number)
    last = ends.astimezone(there).date()
    first = min(rounds)
    named = sorted({(day.year, day.month) for day in rounds})[:most]

    def day_of(day: date | None) -> GridDay:
        return GridDay(day, tuple(rounds.get(day, ())), first <= day < last, off(day)) if day else GridDay(None)

    return [Month(start, weeks_of(start, day_of)) for start in (date(year, month, 1) for year, month in named)]
