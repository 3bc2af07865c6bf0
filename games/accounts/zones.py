"""The time zone that a person has chosen."""

from __future__ import annotations

from typing import Final
from zoneinfo import ZoneInfo

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from games.accounts.models import Profile
from games.common.zones import UTC, known_zones

ZONE_COOKIE: Final = "zone"


def chosen_zone(user: AbstractBaseUser | AnonymousUser) -> str:
    """What `user` has chosen, "" for nothing. One query for who is signed in."""
    if user.pk is None:
        return ""
    name = Profile.objects.filter(user=user.pk).values_list("zone", flat=True).first() or ""
    return name if name in known_zones() else ""


def zone_info(name: str) -> ZoneInfo:
    """The zone of that name; UTC for none or an unknown one."""
    return ZoneInfo(name if name in known_zones() else UTC)
