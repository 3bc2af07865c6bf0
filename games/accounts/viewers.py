"""Who looks: queries that depend on it are composed once for each form of viewers (`games.common.prepared`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Model, QuerySet

from games.accounts.staff import is_admin
from games.common.prepared import prepared
from games.models import BotVersion, Player
from games.visibility import acting

P = ParamSpec("P")
M = TypeVar("M", bound=Model)
R = TypeVar("R")

PUBLIC: Final = "public"
PERSON: Final = "person"
ADMIN: Final = "admin"
BOT: Final = "bot"  # a remote bot, which its owner's token lets in
# An admin sees all, whoever they are. Clubs ask for a bot's owner alone, and seats for the bot alone.
MAY_LACK: Final[Mapping[Hashable, Collection[str]]] = {ADMIN: ["user"], BOT: ["user", "bot"]}


def for_viewer(build: Callable[Concatenate[acting.User, P], QuerySet[M, R]]) -> Any:
    """Compose the query that `build` returns for a viewer, its first argument, once for each form of viewers. The other
    arguments are those of `prepared`."""

    def query(form: str, *more: Any, user: int = 0, bot: int = 0, **values: Any) -> QuerySet[M, R]:
        return build(_stand_in(form, user, bot), *more, **values)

    composed = prepared(query, MAY_LACK)

    @wraps(build)
    def asked(viewer: acting.User, *more: Any, **values: Any) -> QuerySet[M, R]:
        if viewer.pk is None:
            return composed(PUBLIC, *more, **values)
        reader = acting.reader_of(viewer)
        form = BOT if "bot" in reader else ADMIN if is_admin(viewer) else PERSON
        return composed(form, *more, **{**reader, "user": viewer.pk}, **values)

    vars(asked)["forms"] = vars(composed)["forms"]
    return asked


def _stand_in(form: str, user: int, bot: int) -> acting.User:
    """Return a user with this id for whom queries have that form."""
    if form == PUBLIC:
        return AnonymousUser()
    found = User(pk=user, is_staff=form == ADMIN)
    found._has_second_factor = True  # type: ignore[attr-defined]  # of an admin, as `is_admin` keeps it
    if form == BOT:
        acting.act_as(found, Player(bot_version=BotVersion(bot_id=bot)))
    return found
