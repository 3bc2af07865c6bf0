"""What a browser does that Django's test client leaves out: it is checked for CSRF, and sends its token along."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
TOKEN = "t" * 32  # what a page of ours would have put into the cookie; the check is that both are the same


@contextmanager
def checked_for_csrf() -> Iterator[None]:
    """Within the block every `Client()` is checked as a browser is. It sends its token with what may change something,
    unless it comes with an access token; a `Client(enforce_csrf_checks=True)` is a browser that has no token."""
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
