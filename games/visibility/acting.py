"""Who plays when a user asks: the user's own player or, with a remote bot's token, that bot.

The user of such a request is the bot's owner, who answers for it; the seats are the bot's, whichever of its versions
sits there. `games.accounts.tokens`
says so once, when it has read the token, and whoever looks for "my seat" asks here.
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
    """From now on this `user` object plays as `player`, a remote bot."""
    setattr(user, _ACTS_AS, player)


def bot_of(user: User) -> Player | None:
    """The remote bot that `user` plays as; None for a person."""
    found: Player | None = getattr(user, _ACTS_AS, None)
    return found


def mark_impersonated(user: AbstractBaseUser) -> None:
    """From now on somebody else looks at what this `user` object sees, who must see no secret of theirs."""
    setattr(user, _IMPERSONATED, True)


def is_impersonated(user: User) -> bool:
    """Whether somebody else looks through the eyes of `user`."""
    return bool(getattr(user, _IMPERSONATED, False))


def rows_of_user(user: User) -> Q:
    """Which rows with a `player` are those of `user`, who is somebody."""
    bot = bot_of(user)
    if bot is None or bot.bot_version is None:
        return Q(player__user=user.pk)
    return REMOTE & Q(player__bot_version__bot=bot.bot_version.bot_id)
