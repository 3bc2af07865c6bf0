"""Database sessions that know their user, as Django's documentation describes for extending its engine.

One query reads a session together with its user, with what the user has chosen, and with what the head of a page shows
of them. Nearly every request needs these, and four queries cost more than the rest of a page that is stored.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import auth
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db import connection
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from games.accounts import access
from games.accounts.context import OF_ACCOUNT_FROM, Reader, of_account, reader_from
from games.accounts.models import Session
from games.accounts.zones import ProfileChoices


class SignedIn(NamedTuple):
    """The user of a session, with their choices and what the head of a page shows of them, as they were when the
    session was read."""

    user: User
    choices: ProfileChoices
    reader: Reader


class SessionStore(DatabaseStore):
    """The session engine that `SESSION_ENGINE` names."""

    signed_in: SignedIn | None = None

    @classmethod
    def get_model_class(cls) -> type[Any]:
        return Session

    def _get_session_from_db(self) -> Any:
        with connection.cursor() as cursor:
            cursor.execute(read_statement(), [self.session_key, timezone.now()])
            row = cursor.fetchone()
        if row is None:
            self._session_key = None
            return None
        session = Session(session_key=self.session_key or "", session_data=row[0], expire_date=row[1], user_id=row[2])
        session._state.adding = False
        names = [field.attname for field in User._meta.concrete_fields]
        of_user, (zone, language), of_reader = row[3:][: len(names)], row[3 + len(names) :][:2], row[5 + len(names) :]
        if of_user[0] is not None:
            user = User.from_db(connection.alias, names, of_user)
            self.signed_in = SignedIn(user, ProfileChoices(zone or "", language or ""), reader_from(of_reader))
        return session

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


@cache
def read_statement() -> str:
    """Return the statement that reads a session by its key."""
    of_user = ", ".join(f"account.{field.column}" for field in User._meta.concrete_fields)
    return (
        "SELECT session.session_data, session.expire_date, session.user_id,"  # noqa: S608  of our own names only
        f" {of_user}, profile.zone, profile.language, {of_account()} FROM accounts_session session"
        f" LEFT JOIN auth_user account ON account.id = session.user_id {OF_ACCOUNT_FROM}"
        " WHERE session.session_key = %s AND session.expire_date > %s"
    )


def user_of(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    """Return what Django's `get_user` returns, without a query where all is as usual: the session names this user and a
    backend that lets them in, and has the hash of their password."""
    session = request.session
    named, path, signed = (session.get(key, "") for key in (SESSION_KEY, BACKEND_SESSION_KEY, HASH_SESSION_KEY))
    known: SignedIn | None = getattr(session, "signed_in", None)  # the session is read by now
    if known is None or named != str(known.user.pk) or path not in settings.AUTHENTICATION_BACKENDS:
        return auth.get_user(request)
    backend = auth.load_backend(path)
    lets_in = isinstance(backend, ModelBackend) and backend.user_can_authenticate(known.user)
    if lets_in and constant_time_compare(signed, known.user.get_session_auth_hash()):
        return known.user
    return auth.get_user(request)


class SessionUserMiddleware(AuthenticationMiddleware):
    """Django's middleware, with the user that was read together with the session."""

    def process_request(self, request: HttpRequest) -> None:
        """Let the request have its user."""
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: cached_user_of(request))  # type: ignore[assignment]


def cached_user_of(request: HttpRequest) -> Any:
    """Return the user, looked up once for each request. The log finds them here, too."""
    if not hasattr(request, "_cached_user"):
        request._cached_user = user_of(request)  # type: ignore[attr-defined]
    return request._cached_user  # type: ignore[attr-defined]
