"""The number of items in a person's inbox for the head of every page, counted at most once a minute."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import QuerySet
from django.http import HttpRequest

from games.accounts.context import reader_of
from tournaments.clubs.models import Club, Membership
from tournaments.clubs.permissions import ORGANISER_ROLES
from tournaments.organiser.inbox import inbox_items

CACHE_SECONDS: Final = 60
ORGANISES: Final = "organises"  # whether the reader organises a club (`games.accounts.context`)
ORGANISES_COLUMN: Final = f"""EXISTS (
    SELECT FROM clubs_membership JOIN clubs_club ON clubs_club.id = club_id
    WHERE user_id = account.id AND role IN ({", ".join(f"'{role}'" for role in ORGANISER_ROLES)})
      AND archived_at IS NULL
)"""


def organised_clubs(user: User) -> QuerySet[Club]:
    """Return the clubs that `user` organises."""
    memberships = Membership.objects.filter(user=user, role__in=ORGANISER_ROLES)
    return Club.objects.filter(pk__in=memberships.values("club"), archived_at=None)


def inbox_count(user: User) -> int | None:
    """Return the number of items in the inbox of `user`; None if the user organises no club."""
    known: dict[str, int | None] | None = cache.get(_cache_key(user))
    if known is None:
        clubs = list(organised_clubs(user))
        known = {"count": len(inbox_items(clubs)) if clubs else None}
        cache.set(_cache_key(user), known, CACHE_SECONDS)
    return known["count"]


def store_inbox_count(user: User, count: int | None) -> None:
    """Store a number that was just counted, unless it is None (unknown)."""
    if count is not None:
        cache.set(_cache_key(user), {"count": count}, CACHE_SECONDS)


def clear_inbox_count(user: User) -> None:
    """Forget the number, so that it is counted again next time."""
    cache.delete(_cache_key(user))


def _cache_key(user: User) -> str:
    return f"inbox:{user.pk}"


def inbox_context(request: HttpRequest) -> dict[str, Any]:
    """Return `waiting_in_inbox` for the head of every page; it is counted only when the page prints it."""
    user = getattr(request, "user", None)
    if not isinstance(user, User) or user.pk is None:
        return {}
    return {"waiting_in_inbox": lambda: count_for(request)}


def count_for(request: HttpRequest) -> int | None:
    """Return `inbox_count` of the signed-in reader, looked up once for each request."""
    user: User = request.user  # type: ignore[assignment]
    reader = reader_of(request)
    if reader is None or not reader.fact(ORGANISES):
        return None
    known: tuple[int, int | None] | None = getattr(request, "_inbox_count", None)
    if known is None or known[0] != user.pk:
        known = (user.pk, inbox_count(user))
        request._inbox_count = known  # type: ignore[attr-defined]
    return known[1]
