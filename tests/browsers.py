"""Makes Django's test client behave like a browser: it is checked for CSRF and sends its token."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest
from django.test import Client

from games.accounts.sessions import SessionStore

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
TOKEN = "t" * 32  # the value of the cookie; the check only compares the two


@contextmanager
def checked_for_csrf() -> Iterator[None]:
    """Check every `Client()` in the block for CSRF, as for a browser. It sends its token with each change, unless it
    has an access token. `Client(enforce_csrf_checks=True)` is a browser without a token."""
    begin, send = Client.__init__, Client.request

    def with_checks(self: Client, enforce_csrf_checks: bool = False, *args: Any, **options: Any) -> None:
        begin(self, True, *args, **options)
        self.sends_its_token = not enforce_csrf_checks  # type: ignore[attr-defined]

    def with_token(self: Client, **sent: Any) -> Any:
        by_token = {**self.defaults, **sent}.get("HTTP_AUTHORIZATION", "").startswith("Bearer sb_")
        if sent.get("REQUEST_METHOD", "GET") not in SAFE and self.sends_its_token and not by_token:  # type: ignore[attr-defined]
            if settings.CSRF_COOKIE_NAME not in self.cookies:
                self.cookies[settings.CSRF_COOKIE_NAME] = TOKEN
            sent.setdefault("HTTP_X_CSRFTOKEN", self.cookies[settings.CSRF_COOKIE_NAME].value)
            if sent.get("wsgi.url_scheme") == "https":
                sent.setdefault("HTTP_REFERER", f"https://{sent.get('HTTP_HOST', 'testserver')}/")
        return send(self, **sent)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "__init__", with_checks)
        patch.setattr(Client, "request", with_token)
        yield


@contextmanager
def logged_in_quickly() -> Iterator[None]:
    """Within the block, let `force_login` write the session of a new browser once. Django's own way makes an empty
    session, changes its key and saves it again: some 15 queries, in thousands of tests."""
    usual = Client.force_login

    def force_login(self: Client, user: User, backend: str | None = None) -> None:
        if settings.SESSION_COOKIE_NAME in self.cookies:
            usual(self, user, backend)
            return
        user.backend = backend or settings.AUTHENTICATION_BACKENDS[0]
        request = HttpRequest()
        request.session = SessionStore()
        data = {
            SESSION_KEY: str(user.pk),
            BACKEND_SESSION_KEY: user.backend,
            HASH_SESSION_KEY: user.get_session_auth_hash(),
        }
        row = request.session.create_model_instance(data)
        row.save(force_insert=True)
        request.session = SessionStore(row.session_key)
        user_logged_in.send(sender=User, request=request, user=user)
        self._set_login_cookies(request)  # type: ignore[attr-defined]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "force_login", force_login)
        yield
