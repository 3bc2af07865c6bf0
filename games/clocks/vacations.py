"""Vacations: whole days, announced before they begin, on which a person's clocks stand still in correspondence games.

Everybody has `MAX_DAYS_PER_YEAR` days in each calendar year. The terms of a game say how many of them it honours
(`vacation_days`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from games.clocks.models import Vacation
from games.clocks.services import days, renew_deadlines
from games.common import clock
from games.common.errors import DomainError
from games.models import Game
from scorebook_games.gamelog.terms import ZONES

MAX_DAYS_PER_YEAR: Final = 30  # that a person may take in a calendar year
MAX_DAYS_AHEAD: Final = 400  # a vacation may be announced at most this many days before it begins


def announce_vacation(*, user: AbstractBaseUser, start: date, end: date, zone: str) -> Vacation:
    """Announce a vacation of `user` from day `start` to day `end`, both included, by the calendar of `zone`.

    Raises `DomainError` bad_zone, bad_days (400), too_late, overlapping, no_days_left (409).
    """
    _check(start, end, zone)
    with transaction.atomic():
        _lock_user(user)
        taken = Vacation.objects.filter(user=user.pk)
        if taken.filter(start__lte=end, end__gte=start).exists():
            raise DomainError(
                409, "overlapping", _("You already have a vacation on some of these days. Choose other days.")
            )
        for year in range(start.year, end.year + 1):
            left = days_left(taken, year)
            if sum(day.year == year for day in days(start, end)) > left:
                sentence = _(
                    "You have {left} of {a_year} vacation days left in {year}. Choose fewer or other days."
                ).format(a_year=MAX_DAYS_PER_YEAR, left=left, year=year)
                raise DomainError(409, "no_days_left", sentence, year=year, days_left=left)
        vacation = Vacation.objects.create(user_id=user.pk, start=start, end=end, zone=zone, announced_at=clock.now())
    _renew(user)
    return vacation


def cut_short(*, user: AbstractBaseUser, vacation_id: int) -> Vacation | None:
    """End a vacation today, which remains a vacation day. One that has not begun is cancelled, and None is returned.

    Raises `DomainError` not_found (404), over (409).
    """
    with transaction.atomic():
        _lock_user(user)
        vacation = Vacation.objects.filter(user=user.pk, pk=vacation_id).first()
        if vacation is None:
            raise DomainError(404, "not_found", _("You have no such vacation."))
        today = clock.now().astimezone(ZoneInfo(vacation.zone)).date()
        if vacation.end < today:
            raise DomainError(409, "over", _("This vacation is over and cannot be deleted."))
        begun = vacation.start <= today
        if begun:
            vacation.end = today
            vacation.save(update_fields=["end"])
        else:
            vacation.delete()
    _renew(user)
    return vacation if begun else None


def _check(start: date, end: date, zone: str) -> None:
    if zone not in ZONES:
        raise DomainError(
            400,
            "bad_zone",
            _("Unknown time zone {zone!r}. Use an IANA name such as Europe/Berlin.").format(zone=zone),
        )
    today = clock.now().astimezone(ZoneInfo(zone)).date()
    if not start <= end < today + timedelta(days=MAX_DAYS_AHEAD):
        sentence = _(
            "The last day must not be before the first day, and both must be within the next {ahead} days."
        ).format(ahead=MAX_DAYS_AHEAD)
        raise DomainError(400, "bad_days", sentence)
    if start <= today:
        raise DomainError(
            409, "too_late", _("A vacation must be announced in advance. It can begin tomorrow at the earliest.")
        )


def _lock_user(user: AbstractBaseUser) -> None:
    """Lock a user's row, so that two requests of one person see the same number of days left."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('vacations'), %s)", [user.pk])


def days_left(taken: Iterable[Vacation], year: int) -> int:
    """Return how many days of this year are left besides those taken."""
    return MAX_DAYS_PER_YEAR - sum(day.year == year for vacation in taken for day in days(vacation.start, vacation.end))


def _renew(user: AbstractBaseUser) -> None:
    """Set the deadlines of the person's games again, as far as a vacation can change them."""
    games: QuerySet[Game] = Game.objects.filter(
        seats__player__user=user.pk, seats__left="", status=Game.Status.PLAYING, terms__vacation_days__gt=0
    )
    renew_deadlines(games)
