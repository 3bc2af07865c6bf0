"""Games that are not for everybody: those of a circle are for its people, and for whoever sits in them.

Who opens games in circles says here which circles are closed to somebody; this app knows no more of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet

from games import acting
from games.models import Game, Seat

User = AbstractBaseUser | AnonymousUser
Closed = Callable[[User], QuerySet[Any]]
_told: list[Closed] = []


def tell(closed: Closed) -> None:
    """From now on ask `closed` for the numbers of the circles that a user does not belong to (as one column)."""
    _told.append(closed)


def shown_to(user: User) -> Q:
    """Which games are for `user` to know of, as a condition on games."""
    outside = Q()
    for closed in _told:
        outside &= Q(circle=None) | ~Q(circle__in=closed(user))
    if not _told or user.pk is None:
        return outside
    return outside | Q(Exists(Seat.objects.filter(acting.own(user), game=OuterRef("pk"))))


def is_shown(game: Game, user: User) -> bool:
    """Whether `game` is for `user` to know of. No query for a game of no circle."""
    return game.circle is None or Game.objects.filter(shown_to(user), pk=game.pk).exists()
