"""The calendar of a season, month by month, as a page prints it. Pure."""

from __future__ import annotations

from calendar import Calendar
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo


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


@dataclass(frozen=True, slots=True)
class GridMonth:
    """A month by weeks, Monday first."""

    first: date
    weeks: tuple[tuple[GridDay, ...], ...]


def months_of(
    opens: Iterable[datetime], ends: datetime, zone: str, most: int, off: Callable[[date], bool] = lambda _day: False
) -> list[GridMonth]:
    """The months in which rounds open, `most` at the most; days as the clock of `zone` counts them. `off` says which
    are days off."""
    there = ZoneInfo(zone)
    rounds: dict[date, list[int]] = {}
    for number, at in enumerate(opens, start=1):
        rounds.setdefault(at.astimezone(there).date(), []).append(number)
    last = ends.astimezone(there).date()
    first = min(rounds)
    named = sorted({(day.year, day.month) for day in rounds})[:most]
    return [_month(year, month, rounds, lambda day: first <= day < last, off) for year, month in named]


def _month(
    year: int, month: int, rounds: dict[date, list[int]], playing: Callable[[date], bool], off: Callable[[date], bool]
) -> GridMonth:
    weeks = [
        tuple(
            GridDay(day, tuple(rounds.get(day, ())), playing(day), off(day)) if day.month == month else GridDay(None)
            for day in week
        )
        for week in Calendar().monthdatescalendar(year, month)
    ]
    return GridMonth(date(year, month, 1), tuple(weeks))
