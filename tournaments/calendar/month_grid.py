"""A month by weeks, and the calendar of a season by months, as pages print them. Pure."""

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
    """A month by weeks, Monday first; the days of other months are empty."""

    first: date
    weeks: tuple[tuple[Day, ...], ...]

    @property
    def before(self) -> date:
        """Return the first day of the month before."""
        return date(self.first.year - (self.first.month == 1), (self.first.month - 2) % 12 + 1, 1)

    @property
    def after(self) -> date:
        """Return the first day of the month after."""
        return date(self.first.year + self.first.month // 12, self.first.month % 12 + 1, 1)


def weeks_of(first: date, day_of: Callable[[date | None], Day]) -> tuple[tuple[Day, ...], ...]:
    """Return the weeks of the month that begins on `first`. `day_of` makes a day from its date, or from None at the
    edges."""
    weeks = Calendar().monthdatescalendar(first.year, first.month)
    return tuple(tuple(day_of(day if day.month == first.month else None) for day in week) for week in weeks)


@dataclass(frozen=True, slots=True)
class GridDay:
    """A day of a month, with the rounds that open on it and whether it is part of a round or a day off. `day` is None
    at the edges."""

    date: date | None
    rounds: tuple[int, ...] = ()
    playing: bool = False
    off: bool = False

    @property
    def label(self) -> str:
        """Return the rounds in short, as “R3” or “R3–5”; "" if none opens."""
        if not self.rounds:
            return ""
        return f"R{self.rounds[0]}" + (f"–{self.rounds[-1]}" if len(self.rounds) > 1 else "")


def months_of(
    opens: Iterable[datetime], ends: datetime, zone: str, most: int, off: Callable[[date], bool] = lambda _day: False
) -> list[Month[GridDay]]:
    """Return at most `most` months in which rounds open, with days in the time zone `zone`. `off` returns whether a
    date is a day off."""
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
