"""Sessions in the database that know whose they are (the way of Django's own documentation on extending its engine)."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore

from games.accounts import access
from games.accounts.models import Session


class SessionStore(DatabaseStore):
    """The engine that `SESSION_ENGINE` names."""

    @classmethod
    def get_model_class(cls) -> type[Any]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        session: Any = super().create_model_instance(data)
        session.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        return session

    def delete(self, session_key: str | None = None) -> None:
        """Its streams end with it."""
        gone = session_key or self.session_key
        super().delete(session_key)
        if gone:
            access.announce_revoked(access.key_of_session(gone))
