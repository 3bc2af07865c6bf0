"""How much happens in a day (UTC): counted once when the day is over, and for today each time it is shown."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, ClassVar, Final, NamedTuple

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import QuerySet

from games.common import clock
from games.common.prepared import prepared
from games.models import BotVersion, Game
from games.operations.models import DailyCount

DAYS_SHOWN: Final = 30


@dataclass(frozen=True)
class DayCount:
    """Counts of one day (UTC).

    Games that were finished, people that signed up, versions that were uploaded and `refused` of them, and by how much
    the log grew, None where nobody looked at the day before.
    """

    component: ClassVar[str] = "DailyCount"

    day: date
    games: int
    sign_ups: int
    uploads: int
    refused: int
    log_growth: Annotated[int | None, "Bytes."]
    now: Annotated[bool, "Today, so far."] = False


class Sizes(NamedTuple):
    """Bytes on disk."""

    log: int
    database: int


def disk_sizes() -> Sizes:
    """Return the size of the log with its indexes, and of the whole database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_total_relation_size('batch') + pg_total_relation_size('stream'),"
            " pg_database_size(current_database())"
        )
        log, database = cursor.fetchone()
        return Sizes(log, database)


def disk_used() -> float:
    """Return which part of this process's disk is full, 0 to 1."""
    usage = shutil.disk_usage("/")
    return round(1 - usage.free / usage.total, 3)


def last(now: datetime, log_bytes: int) -> list[DayCount]:
    """Return the days to show, the oldest first, without those that nobody counted."""
    today = now.astimezone(UTC).date()
    shown = DailyCount.objects.filter(day__lt=today, day__gte=today - timedelta(days=DAYS_SHOWN))
    rows = list(shown.order_by("day"))
    known = {row.day: row for row in rows}
    counted = count_day(today)
    counted.log_bytes = log_bytes
    counts = [_shown(row, known.get(row.day - timedelta(days=1))) for row in rows]
    return [*counts[-DAYS_SHOWN + 1 :], _shown(counted, known.get(today - timedelta(days=1)), now=True)]


def _shown(row: DailyCount, before: DailyCount | None, *, now: bool = False) -> DayCount:
    growth = max(row.log_bytes - before.log_bytes, 0) if before and before.log_bytes and row.log_bytes else None
    return DayCount(row.day, row.games, row.sign_ups, row.uploads, row.refused, growth, now)


def count_day(day: date) -> DailyCount:
    """Return what happened on this day, read by the indexes on time. The row is not saved."""
    begin = datetime.combine(day, time(), UTC)
    end = begin + timedelta(days=1)
    states = list(_uploads(begin=begin, end=end))
    return DailyCount(
        day=day,
        games=_games(begin=begin, end=end).count(),
        sign_ups=_people(begin=begin, end=end).count(),
        uploads=len(states),
        refused=states.count(BotVersion.State.REFUSED),
    )


@prepared
def _uploads(*, begin: datetime, end: datetime) -> QuerySet[BotVersion, str]:
    uploads = BotVersion.objects.filter(created__gte=begin, created__lt=end, transport=BotVersion.Transport.UPLOAD)
    return uploads.values_list("state", flat=True)


@prepared
def _games(*, begin: datetime, end: datetime) -> QuerySet[Game]:
    return Game.objects.filter(finished_at__gte=begin, finished_at__lt=end).order_by()


@prepared
def _people(*, begin: datetime, end: datetime) -> QuerySet[User]:
    people = User.objects.filter(date_joined__gte=begin, date_joined__lt=end)
    return people.exclude(profile__guest=True).order_by()


def count_finished_days() -> int:
    """Count those finished days to be shown that were not counted yet; return how many.

    Two runs at the same time do no harm. The size of the log is known only for yesterday, and only soon after its end.
    """
    today = clock.now().astimezone(UTC).date()
    wanted = [today - timedelta(days=back) for back in range(DAYS_SHOWN, 0, -1)]
    known = set(DailyCount.objects.filter(day__in=wanted).values_list("day", flat=True))
    missing = [count_day(day) for day in wanted if day not in known]
    for row in missing:
        if row.day == today - timedelta(days=1):
            row.log_bytes = disk_sizes().log
    DailyCount.objects.bulk_create(missing, ignore_conflicts=True)
    return len(missing)
