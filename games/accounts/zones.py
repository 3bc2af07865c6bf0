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
    """Return the zone that `user` has chosen; "" for none. One query for a signed-in user."""
    if user.pk is None:
        return ""
    name = Profile.objects.filter(user=user.pk).values_list("zone", flat=True).first() or ""
    return name if name in known_zones() else ""


def zone_info(name: str) -> ZoneInfo:
    """Return the zone with this name; UTC for no name or an unknown one."""
    return ZoneInfo(name if name in known_zones() else UTC)
