"""Who looks, for queries that are composed once (`games.common.prepared`) and whose form depends on it."""

from __future__ import annotations

from collections.abc import Hashable

from django.contrib.auth.models import AnonymousUser, User

from games.accounts.staff import is_admin
from games.models import Player
from games.visibility import acting

PUBLIC = "public"
PERSON = "person"
ADMIN = "admin"


def form_of(user: acting.User) -> Hashable:
    """Return what decides the form of a query for what `user` may see: `PUBLIC`, `PERSON`, `ADMIN`, or a remote bot."""
    if user.pk is None:
        return PUBLIC
    return acting.bot_of(user) or (ADMIN if is_admin(user) else PERSON)


def value_of(user: acting.User) -> dict[str, int]:
    """Return the value of such a query: the id of `user`, if they have an account."""
    return {} if user.pk is None else {"user": user.pk}


def stand_in(form: Hashable, user: int) -> acting.User:
    """Return a user with this id for whom queries have that form."""
    if form == PUBLIC:
        return AnonymousUser()
    found = User(pk=user, is_staff=form == ADMIN)
    found._has_second_factor = True  # type: ignore[attr-defined]  # of an admin, as `is_admin` keeps it
    if isinstance(form, Player):
        acting.act_as(found, form)
    return found
