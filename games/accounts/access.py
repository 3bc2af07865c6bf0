"""Ways of access: an account, a token, a browser's session.

When one of them ends, every process is notified by NOTIFY, so that what is open by it ends at once. A notification may
be lost, so the holders of open streams also ask.
"""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpRequest

from games.accounts.models import PushDevice, Session
from games.common.after_commit import after_commit

ACCESS_CHANNEL: Final = "access"


def key_of_user(user_id: int) -> str:
    """Return the key of an account."""
    return f"user {user_id}"


def key_of_token(token_id: int) -> str:
    """Return the key of an access token."""
    return f"token {token_id}"


def key_of_session(session_key: str) -> str:
    """Return the key of a browser's session."""
    return f"session {session_key}"


def announce_revoked(*keys: str) -> None:
    """Notify all processes, after the commit, that these keys give no more access, or only after another login."""
    after_commit(_notify_processes, keys)


def _notify_processes(keys: tuple[str, ...]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, key) FROM unnest(%s::text[]) AS key", [ACCESS_CHANNEL, list(keys)])


def end_all(user_id: int, *, but: str = "") -> None:
    """End every login of an account except that of the session `but`, what is open by any of them, and notices on
    devices."""
    PushDevice.objects.filter(user=user_id).delete()
    Session.objects.filter(user_id=user_id).exclude(session_key=but).delete()
    announce_revoked(key_of_user(user_id))


def on_new_credentials(sender: Any, request: HttpRequest, user: User, **_signal: Any) -> None:  # noqa: ARG001
    """End all logins that began without a new password or second factor, so all except the one that set it."""
    end_all(user.pk, but=request.session.session_key or "")
