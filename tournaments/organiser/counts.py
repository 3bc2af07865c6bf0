"""How many matters wait on somebody's desk, for the head of every page: counted at most once a minute."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import QuerySet
from django.http import HttpRequest

from tournaments.clubs.permissions import ORGANISING
from tournaments.models import Club, Membership

FRESH: Final = 60  # seconds


def clubs_of(user: User) -> QuerySet[Club]:
    """The clubs that `user` organises."""
    own = Membership.objects.filter(user=user, role__in=ORGANISING)
    return Club.objects.filter(pk__in=own.values("club"), archived_at=None)


def waiting(user: User) -> int | None:
    """How many matters wait for `user`; None for who organises nothing."""
    from tournaments.organiser.inbox import items_of

    known: dict[str, int | None] | None = cache.get(_key(user))
    if known is None:
        clubs = list(clubs_of(user))
        known = {"count": len(items_of(clubs)) if clubs else None}
        cache.set(_key(user), known, FRESH)
    return known["count"]


def remember(user: User, count: int | None) -> None:
    """Keep what was counted just now; None is not known."""
    if count is not None:
        cache.set(_key(user), {"count": count}, FRESH)


def forget(user: User) -> None:
    """Count anew next time."""
    cache.delete(_key(user))


def _key(user: User) -> str:
    return f"desk:{user.pk}"


def head(request: HttpRequest) -> dict[str, Any]:
    """For the head of every page: `on_desk`, asked for when the page prints it."""
    user = getattr(request, "user", None)
    if not isinstance(user, User) or user.pk is None:
        return {}
    return {"on_desk": lambda: waiting(user)}
