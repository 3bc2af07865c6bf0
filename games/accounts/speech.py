"""Who may write texts that others read: nobody who is muted or has a warning to read first.

Every service that passes one person's words to another asks this: reports, challenges, requests to join, news,
invitations, disputes, reasons in a season, proposed times.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from games.accounts.models import Sanction
from games.common import clock
from games.common.errors import DomainError

MUTE, WARNING = Sanction.Kind.MUTE, Sanction.Kind.WARNING


def in_force() -> QuerySet[Sanction]:
    """Return the mutes and bans that hold now, even if their end was not recorded yet."""
    return Sanction.objects.filter(_not_ended(), ended_at=None).exclude(kind=WARNING)


def is_in_force(measure: Sanction) -> bool:
    """Return whether a mute or ban is among `in_force`."""
    lasts = measure.until is None or measure.until > clock.now()
    return measure.kind != WARNING and measure.ended_at is None and lasts


def _not_ended() -> Q:
    return Q(until=None) | Q(until__gt=clock.now())


def speech_refusal(user: AbstractBaseUser | AnonymousUser | int | None) -> DomainError | None:
    """Return the error for a user who may not write to others now, else None. One query.

    The errors are muted (403, with `until`) and warning_unread (403).
    """
    pk = user if isinstance(user, int) or user is None else user.pk
    if pk is None:
        return None
    muted = Q(kind=MUTE, ended_at=None) & _not_ended()
    found = Sanction.objects.filter(muted | Q(kind=WARNING, seen_at=None), user=pk).order_by("kind").first()
    if found is None:
        return None
    if found.kind == MUTE:
        sentence = _(
            "An admin has muted you {until}. You can play, but you cannot post or send messages. The reason is at "
            "/me/conduct/."
        )
        return DomainError(403, "muted", sentence.format(until=until_text(found)), until=found.until)
    sentence = _("An admin has warned you. Read the warning at /me/conduct/ and confirm it; then you can post again.")
    return DomainError(403, "warning_unread", sentence)


def check_may_write(user: AbstractBaseUser | AnonymousUser | int | None) -> None:
    """Raise `DomainError` muted, warning_unread (403) if `user` may not write to others now."""
    if (refused := speech_refusal(user)) is not None:
        raise refused


def until_text(measure: Sanction) -> str:
    """Return the end of a measure as "until 20:00 on 7 September 2027" or "for good"."""
    return end_text(measure.until)


def end_text(until: datetime | None) -> str:
    """Return the end of a measure that lasts until then, or for good."""
    if until is None:
        return _("permanently")
    local = timezone.localtime(until)
    day, time = date_format(local, "LONG_DATE_FORMAT"), date_format(local, "TIME_FORMAT")
    return _("until {time} on {day}").format(time=time, day=day)
