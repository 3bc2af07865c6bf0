"""Database sessions that know their user, as Django's documentation describes for extending its engine."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore

from games.accounts import access
from games.accounts.models import Session


class SessionStore(DatabaseStore):
    """The session engine that `SESSION_ENGINE` names."""

    @classmethod
    def get_model_class(cls) -> type[Any]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        session: Any = super().create_model_instance(data)
        session.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        return session

    def delete(self, session_key: str | None = None) -> None:
        """Delete the session and end its streams."""
        key = session_key or self.session_key
        super().delete(session_key)
        if key:
            access.announce_revoked(access.key_of_session(key))
