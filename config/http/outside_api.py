"""Middleware of pages that requests of the API pass by: they have no forms, no flash messages and no htmx.

Each is the usual class, so that Django's checks find it in the settings. The API checks CSRF by itself where a request
has a session (REST framework's `SessionAuthentication`).
"""

from __future__ import annotations

from django.contrib.messages.middleware import MessageMiddleware
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django_htmx.middleware import HtmxMiddleware

from config.http.static_files import StaticFilesMiddleware
from games.accounts.login_attempts import LoginAttemptMiddleware
from games.common.policy import API_ROOT


class OutsideApi:
    """Mixin for middleware that leaves requests of the API alone."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith(API_ROOT):
            return self.get_response(request)  # type: ignore[attr-defined,no-any-return]
        return super().__call__(request)  # type: ignore[misc,no-any-return]


class StaticFiles(OutsideApi, StaticFilesMiddleware):
    """Serves static files."""


class Csrf(OutsideApi, CsrfViewMiddleware):
    """Checks the CSRF token of forms."""


class Messages(OutsideApi, MessageMiddleware):
    """Has the messages that the next page shows."""


class Htmx(OutsideApi, HtmxMiddleware):
    """Says whether htmx asks for a part of a page."""


class LoginAttempts(OutsideApi, LoginAttemptMiddleware):  # type: ignore[misc]  # it answers with a narrower type
    """Limits wrong passwords in the forms of accounts."""
