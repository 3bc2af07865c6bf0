"""The time zone that a person has chosen, and what else a page must know of their choices."""

from __future__ import annotations

from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from games.accounts.models import Profile
from games.common.zones import UTC, known_zones

ZONE_COOKIE: Final = "zone"


class ProfileChoices(NamedTuple):
    """The zone and the language of a profile; "" where nothing is chosen."""

    zone: str = ""
    language: str = ""


def profile_choices(request: HttpRequest) -> ProfileChoices:
    """Return the choices of the signed-in person, read once for each request and person."""
    user = request.user.pk
    known: tuple[int | None, ProfileChoices] | None = getattr(request, "_profile_choices", None)
    signed_in = getattr(getattr(request, "session", None), "signed_in", None)
    if known is None and signed_in is not None and signed_in.user.pk == user:
        known = (user, signed_in.choices)  # read with the session
    elif known is None or known[0] != user:
        row = Profile.objects.filter(user=user).order_by().values_list("zone", "language")[:1] if user else ()
        known = (user, next((ProfileChoices(*each) for each in row), ProfileChoices()))
    request._profile_choices = known  # type: ignore[attr-defined]
    return known[1]


def chosen_zone(user: AbstractBaseUser | AnonymousUser) -> str:
    """Return the zone that `user` has chosen; "" for none. One query for a signed-in user."""
    if user.pk is None:
        return ""
    name = Profile.objects.filter(user=user.pk).values_list("zone", flat=True).first() or ""
    return name if name in known_zones() else ""


def zone_info(name: str) -> ZoneInfo:
    """Return the zone with this name; UTC for no name or an unknown one."""
    return ZoneInfo(name if name in known_zones() else UTC)
