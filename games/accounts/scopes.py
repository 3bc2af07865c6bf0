"""The scopes of tokens, a closed list, and which of them a request needs.

Each view states them: `write_scope` for what it changes, without which it takes no tokens; `read_scope` if reading
needs more than "read"; and `remote_bots` for what a remote bot does by itself.
"""

from __future__ import annotations

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.common.policy import SAFE_METHODS, ViewFunction, stated

READ: Final = "read"
PLAY: Final = "play"
BOTS: Final = "bots"
ORGANISE: Final = "organise"
ACCOUNT: Final = "account"
ADMIN: Final = "admin"

SCOPES: Final[dict[str, str | Promise]] = {
    READ: _("see what you see: games, your own cards, your lists, the inboxes of clubs that you organise"),
    PLAY: _("play your games, join tables, enter seasons, join clubs, let your bots play"),
    BOTS: _("create and change your bots"),
    ORGANISE: _("create and run clubs and their seasons"),
    ACCOUNT: _("change your account, export your data, create and revoke tokens"),
    ADMIN: _("use admin actions, read their log and the platform’s status; for admins only"),
}
REMOTE_BOT_SCOPES: Final = (READ, PLAY)  # the scopes of a token with which a remote bot plays


def required_scope(view: ViewFunction | None, method: str) -> str | None:
    """Return the scope that a request needs; None if the view takes no token."""
    scope: str | None = (
        stated(view, method, "read_scope", READ)
        if method in SAFE_METHODS
        else stated(view, method, "write_scope", None)
    )
    return scope


def is_people_only(view: ViewFunction | None, method: str) -> bool:
    """Return whether no remote bot may take this seat, because people look for people there."""
    return bool(stated(view, method, "remote_bots", "nothing") == "people only")


def is_allowed_for_bots(view: ViewFunction | None, method: str) -> bool:
    """Return whether a remote bot may make such requests at all."""
    allowed = stated(view, method, "remote_bots", "nothing")
    return bool(allowed == "everything" or (allowed == "read" and method in SAFE_METHODS))
