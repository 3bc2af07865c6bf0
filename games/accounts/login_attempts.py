"""Limits wrong passwords: counted by account and address together, so that nobody locks out another person.

Five wrong passwords in five minutes from one address for one account, or ten in a minute from one address for all
accounts, are refused for that long (`ACCOUNT_RATE_LIMITS`). Tries for one account from anywhere are only slowed down:
the more wrong ones, the longer each address waits after its own last one. A browser in which the account was used
before (`games.accounts.devices`) is counted by itself. A refusal is a 429 with a sentence and Retry-After.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from allauth.account.utils import filter_users_by_email
from allauth.core.internal import ratelimit
from django import forms
from django.contrib.auth.models import User
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.translation import ngettext

from games.accounts import devices, people
from games.common import clock, rate_limits

FREE_TRIES: Final = 5  # wrong passwords from anywhere after which tries are slowed down
MAX_DELAY_SECONDS: Final = 60  # seconds
FAILURE_WINDOW_SECONDS: Final = 3600  # seconds after the last wrong one
ACCOUNT_LOCK_SECONDS: Final = 300  # seconds, as in ACCOUNT_RATE_LIMITS, login_failed
ADDRESS_LOCK_SECONDS: Final = 60  # login_failed_address


def delay_after(failures: int) -> int:
    """Return how many seconds an address waits after a wrong password, from their number in the last hour."""
    return 0 if failures <= FREE_TRIES else min(2 ** (failures - FREE_TRIES), MAX_DELAY_SECONDS)


@dataclass
class LoginAttempt:
    """One try to log in: the account, and a known browser or an address."""

    request: HttpRequest
    account: str
    by: str
    is_known: bool
    usage: Any = field(default=None)

    @classmethod
    def of(cls, request: HttpRequest, credentials: dict[str, Any]) -> LoginAttempt:
        """Return the try for these credentials, however they are written."""
        user = account_of(credentials)
        written = credentials.get("email") or credentials.get("username") or ""
        device = devices.known_device(request, user) if user else None
        account = f"user {user.pk}" if user else f"name {written.lower()}"
        return cls(
            request, account, device or rate_limits.network_of(request.META.get("REMOTE_ADDR", "")), device is not None
        )

    @property
    def key(self) -> str:
        return f"{self.account} {self.by}"

    def check(self) -> None:
        """Raise a form's error if this try comes too early."""
        if self.is_known:
            return
        wait = math.ceil(cache.get(_cached("next", self.key), 0) - clock.now().timestamp())
        if wait > 0:
            raise too_many_attempts_error(self.request, wait)
        self.usage = ratelimit.consume(self.request, app="allauth.account", action="login_failed_address")
        if not self.usage:
            raise too_many_attempts_error(self.request, ADDRESS_LOCK_SECONDS)

    def succeeded(self) -> None:
        """Do not count this try: it succeeded."""
        if self.usage:
            self.usage.rollback()

    def failed(self) -> None:
        """Count this try, and let the next one from here wait."""
        if self.is_known:
            return
        counted = _cached("failures", self.account)
        failures = cache.get(counted, 0) + 1
        cache.set(counted, failures, FAILURE_WINDOW_SECONDS)
        if delay := delay_after(failures):
            cache.set(_cached("next", self.key), clock.now().timestamp() + delay, delay)


def account_of(credentials: dict[str, Any]) -> User | None:
    """Return the account that is tried; None if there is none."""
    if username := credentials.get("username"):
        found = User.objects.filter(username=people.login_name(username)).first()
        if found:
            return found
    if email := credentials.get("email"):
        users: list[User] = filter_users_by_email(email, prefer_verified=True)
        return users[0] if users else None
    return None


def _cached(what: str, of: str) -> str:
    return f"tries:{what}:{hashlib.sha256(of.encode()).hexdigest()}"


def too_many_attempts_error(request: HttpRequest, wait: int) -> forms.ValidationError:
    """Return a form's error for too many tries; the response is a 429."""
    request.retry_after = wait  # type: ignore[attr-defined]
    words = ngettext(
        "Too many attempts. Wait {n} second and try again, or reset your password.",
        "Too many attempts. Wait {n} seconds and try again, or reset your password.",
        wait,
    )
    return forms.ValidationError(words.format(n=wait), code="too_many_login_attempts")


class LoginAttemptMiddleware:
    """Answers a form with too many tries with 429, and remembers a browser in which somebody has logged in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        wait = getattr(request, "retry_after", None)
        if wait is not None:
            response.status_code = 429
            response["Retry-After"] = str(wait)
        user = getattr(request, "known_to", None)
        if user is not None:
            devices.remember_device(request, user, response)
        return response
