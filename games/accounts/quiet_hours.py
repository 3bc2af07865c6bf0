"""Quiet hours: between two times of the day, in a person's own zone, no email and no push message comes.

What would have come waits until they end, and is dropped if it is no longer true by then.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.base_user import AbstractBaseUser
from django.utils.translation import gettext as _

from games.accounts.models import Profile
from games.accounts.zones import zone_info
from games.common import clock
from games.common.errors import DomainError


def set_quiet_hours(profile: Profile, begin: time | None, end: time | None) -> None:
    """Set a person's quiet hours; none if both are None. Raises `DomainError` bad_quiet_hours (400)."""
    if (begin is None) != (end is None) or (begin is not None and begin == end):
        sentence = _("Give two different times, or none for no quiet hours.")
        raise DomainError(400, "bad_quiet_hours", sentence)
    profile.quiet_from, profile.quiet_until = begin, end
    profile.save(update_fields=["quiet_from", "quiet_until"])


def hours_data(profile: Profile) -> dict[str, str] | None:
    """Return a person's quiet hours as JSON data; None for none."""
    if profile.quiet_from is None or profile.quiet_until is None:
        return None
    return {"begin": f"{profile.quiet_from:%H:%M}", "end": f"{profile.quiet_until:%H:%M}"}


def are_set(profile: Profile) -> bool:
    """Return whether a person has quiet hours."""
    return profile.quiet_from is not None and profile.quiet_until is not None


def end_of_quiet(user: AbstractBaseUser) -> datetime | None:
    """Return when the quiet hours of `user` end; None if there are none now. One query."""
    profile = Profile.objects.filter(user=user.pk).first()
    if profile is None or profile.quiet_from is None or profile.quiet_until is None:
        return None
    return end_of_hours(clock.now(), profile.quiet_from, profile.quiet_until, zone_info(profile.zone))


def end_of_hours(now: datetime, begin: time, end: time, zone: ZoneInfo) -> datetime | None:
    """Return when the hours between two times of the day end that `now` is in; None if it is in none. They may go
    beyond midnight."""
    local = now.astimezone(zone)
    at = local.time().replace(second=0, microsecond=0)
    inside = begin <= at < end if begin < end else at >= begin or at < end
    if not inside:
        return None
    day = local.date() if at < end else local.date() + timedelta(days=1)
    return datetime.combine(day, end, tzinfo=zone)
