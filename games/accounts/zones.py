"""The time zones that a person may choose."""

from __future__ import annotations

from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from games.accounts.models import Profile
from games.gamelog.terms import ZONES

ZONE_COOKIE: Final = "zone"


@cache
def known_zones() -> frozenset[str]:
    """The names that the machine's time zone data knows, without aliases of single letters and the like."""
    return frozenset(ZONES)


def chosen_zone(user: AbstractBaseUser | AnonymousUser) -> str:
    """What `user` has chosen, "" for nothing. One query for who is signed in."""
    if user.pk is None:
        return ""
    name = Profile.objects.filter(user=user.pk).values_list("zone", flat=True).first() or ""
    return name if name in known_zones() else ""


def zone_info(name: str) -> ZoneInfo:
    """The zone of that name; UTC for none or an unknown one."""
    return ZoneInfo(name if name in known_zones() else "UTC")
