"""Games that are not for everybody: those of a circle are for its people, and for whoever sits in them.

Who opens games in circles says here which circles are closed to somebody; this app knows no more of them. Who shuts
somebody out of a circle says that with `audience_changed`, for streams that are open to end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.common.after_commit import after_commit
from games.models import Game, Seat
from games.visibility import acting

User = AbstractBaseUser | AnonymousUser
HiddenAudiences = Callable[[User], QuerySet[Any]]
AUDIENCE_CHANNEL: Final = "circles"
_hidden_audiences: list[HiddenAudiences] = []


def register_hidden_audiences(closed: HiddenAudiences) -> None:
    """From now on ask `closed` for the numbers of the circles that a user does not belong to (as one column)."""
    _hidden_audiences.append(closed)


def visible_to(user: User) -> Q:
    """Which games are for `user` to know of, as a condition on games."""
    outside = Q()
    for closed in _hidden_audiences:
        outside &= Q(circle=None) | ~Q(circle__in=closed(user))
    if not _hidden_audiences or user.pk is None:
        return outside
    return outside | Q(Exists(Seat.objects.filter(acting.rows_of_user(user), game=OuterRef("pk"))))


def is_visible(game: Game, user: User) -> bool:
    """Whether `game` is for `user` to know of. No query for a game of no circle."""
    return game.circle is None or Game.objects.filter(visible_to(user), pk=game.pk).exists()


def private_games(game_ids: Collection[int]) -> set[int]:
    """Which of these games are not for everybody. One query."""
    games = Game.objects.filter(pk__in=game_ids).exclude(circle=None).exclude(visible_to(AnonymousUser()))
    return set(games.values_list("pk", flat=True))


def still_visible(game_ids: Collection[int], user: User) -> set[int]:
    """Which of these games are for `user` to know of, by what the account may do now. Two queries."""
    account = get_user_model().objects.filter(pk=user.pk or 0, is_active=True)
    now = account.values("is_active", "is_staff").first()
    for name, value in (now or {}).items():
        setattr(user, name, value)
    games = Game.objects.filter(visible_to(user if now else AnonymousUser()), pk__in=game_ids)
    return set(games.values_list("pk", flat=True))


def audience_changed(circle: int) -> None:
    """After the commit tell all processes that somebody may belong to this circle no more, or everybody."""
    after_commit(_notify_changed, circle)


def _notify_changed(circle: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [AUDIENCE_CHANNEL, str(circle)])
