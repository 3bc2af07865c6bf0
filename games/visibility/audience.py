"""Games that are not public: those of a private audience are for its people and for their players.

A game's `audience_club_id` is the id of its club. The app of clubs registers here which clubs are hidden from a user;
this package knows nothing else of clubs. Call `audience_changed` when somebody loses access, so that open streams end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.common.after_commit import after_commit
from games.common.prepared import prepared
from games.models import Game, Seat
from games.visibility import acting

User = AbstractBaseUser | AnonymousUser
HiddenAudiences = Callable[[User], QuerySet[Any]]
AUDIENCE_CHANNEL: Final = "audience_changed"
_hidden_audiences: list[HiddenAudiences] = []


def register_hidden_audiences(closed: HiddenAudiences) -> None:
    """Let `closed` return the ids of the clubs whose games a user may not see, as one column."""
    _hidden_audiences.append(closed)


def visible_to(user: User) -> Q:
    """Return a filter for the games that `user` may know of."""
    outside = Q()
    for closed in _hidden_audiences:
        outside &= Q(audience_club_id=None) | ~Q(audience_club_id__in=closed(user))
    if not _hidden_audiences or user.pk is None:
        return outside
    return outside | Q(Exists(Seat.objects.filter(acting.rows_of_user(user), game=OuterRef("pk"))))


def is_visible(game: Game, user: User) -> bool:
    """Return whether `user` may know of `game`. No query for a game without `audience_club_id`."""
    if game.audience_club_id is None or _public_game(tuple(_hidden_audiences), game=game.pk).exists():
        return True
    return user.pk is not None and Game.objects.filter(visible_to(user), pk=game.pk).exists()


@prepared
def _public_game(_hidden: Hashable, *, game: int) -> QuerySet[Game]:  # which are part of the statement
    return Game.objects.filter(visible_to(AnonymousUser()), pk=game).order_by()


def private_audiences(club_ids: Collection[int]) -> set[int]:
    """Return which of these clubs are hidden from the public now."""
    hidden = [closed(AnonymousUser()).filter(pk__in=club_ids) for closed in _hidden_audiences]
    return {pk for ids in hidden for pk in ids.values_list("pk", flat=True)}


def private_games(game_ids: Collection[int]) -> set[int]:
    """Return which of these games are not public. One query."""
    games = Game.objects.filter(pk__in=game_ids).exclude(audience_club_id=None).exclude(visible_to(AnonymousUser()))
    return set(games.values_list("pk", flat=True))


def still_visible(game_ids: Collection[int], user: User) -> set[int]:
    """Return which of these games `user` may know of, with the account's present rights. Two queries."""
    account = get_user_model().objects.filter(pk=user.pk or 0, is_active=True)
    now = account.values("is_active", "is_staff").first()
    for name, value in (now or {}).items():
        setattr(user, name, value)
    games = Game.objects.filter(visible_to(user if now else AnonymousUser()), pk__in=game_ids)
    return set(games.values_list("pk", flat=True))


def audience_changed(audience_club_id: int) -> None:
    """Tell all processes, after the commit, that people have lost or gained access to the games of this club."""
    after_commit(_notify_changed, audience_club_id)


def _notify_changed(audience_club_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [AUDIENCE_CHANNEL, str(audience_club_id)])
