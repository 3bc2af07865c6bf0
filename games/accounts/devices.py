"""Browsers in which somebody has logged in before, recognised by a signed cookie.

The cookie names the account, and is void once its password changes. Wrong passwords from elsewhere do not lock such a
browser out (`games.accounts.login_attempts`). The cookie alone gives no access. The method is that of OWASP's "device
cookies" (Slow Down Online Guessing Attacks with Device Cookies).
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare

DEVICE_COOKIE: Final = "known_device"
DEVICE_COOKIE_SALT: Final = "games.accounts.devices"
DEVICE_COOKIE_AGE: Final = timedelta(days=400)  # browsers keep a cookie no longer
MAX_ACCOUNTS_PER_BROWSER: Final = 5  # accounts of one browser

DeviceEntry = tuple[int, str, str]  # the account, the device's own name, and a value that changes with the password


def device_entries(request: HttpRequest) -> list[DeviceEntry]:
    """Return the entries of the cookie; none if it is missing, forged or old."""
    try:
        entries = signing.loads(
            request.COOKIES.get(DEVICE_COOKIE, ""), salt=DEVICE_COOKIE_SALT, max_age=DEVICE_COOKIE_AGE
        )
    except signing.BadSignature:
        return []
    return [(pk, name, fingerprint) for pk, name, fingerprint in entries]


def known_device(request: HttpRequest, user: User) -> str | None:
    """Return the name of this browser if `user` logged in here with the present password; else None."""
    mine = user.get_session_auth_hash()
    return next(
        (name for pk, name, theirs in device_entries(request) if pk == user.pk and constant_time_compare(theirs, mine)),
        None,
    )


def remember_device(request: HttpRequest, user: User, response: HttpResponse) -> None:
    """Let this browser be known to `user` from now on."""
    entry = (user.pk, known_device(request, user) or secrets.token_urlsafe(9), user.get_session_auth_hash())
    others = [entry for entry in device_entries(request) if entry[0] != user.pk]
    response.set_cookie(
        DEVICE_COOKIE,
        signing.dumps([entry, *others][:MAX_ACCOUNTS_PER_BROWSER], salt=DEVICE_COOKIE_SALT),
        max_age=DEVICE_COOKIE_AGE,
        path="/accounts/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def on_login_or_new_password(sender: Any, request: HttpRequest | None, user: User, **_signal: Any) -> None:  # noqa: ARG001
    """Note that somebody has logged in or changed the password, for `LoginAttemptMiddleware`."""
    if request is not None and user.has_usable_password():
        request.known_to = user  # type: ignore[attr-defined]
