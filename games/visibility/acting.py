"""Who plays for a user: the user's own player or, with a remote bot's token, that bot.

The user of such a request is the bot's owner, who is responsible for it. The seats are the bot's, in any of its
versions. `games.accounts.tokens` sets this once, when it has read the token, and all code that looks for "my seat" asks
here.
"""

from __future__ import annotations

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q

from games.models import REMOTE, Player

User = AbstractBaseUser | AnonymousUser
_ACTS_AS = "plays_as"
_IMPERSONATED = "looked_on"


def act_as(user: AbstractBaseUser, player: Player) -> None:
    """Let this `user` object play as `player`, a remote bot, from now on."""
    setattr(user, _ACTS_AS, player)


def bot_of(user: User) -> Player | None:
    """Return the remote bot that `user` plays as; None for a person."""
    found: Player | None = getattr(user, _ACTS_AS, None)
    return found


def mark_impersonated(user: AbstractBaseUser) -> None:
    """Mark that somebody else sees what this `user` object sees, and must not see the user's secrets."""
    setattr(user, _IMPERSONATED, True)


def is_impersonated(user: User) -> bool:
    """Return whether somebody else looks on as `user`."""
    return bool(getattr(user, _IMPERSONATED, False))


def reader_of(user: User) -> dict[str, int]:
    """Return what `rows_of` needs for `user`, who is signed in."""
    bot = bot_of(user)
    return {"user": user.pk or 0} if bot is None or bot.bot_version is None else {"bot": bot.bot_version.bot_id}


def rows_of(*, user: int = 0, bot: int = 0) -> Q:
    """Return a filter for the rows with a `player` that belong to a user, or to a remote bot in any of its versions."""
    return REMOTE & Q(player__bot_version__bot=bot) if bot else Q(player__user=user)


def rows_of_user(user: User) -> Q:
    """Return a filter for the rows with a `player` that belong to `user`, who is signed in."""
    return rows_of(**reader_of(user))
