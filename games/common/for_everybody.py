"""Answers that are the same for all readers, so that every cache on the way may keep them.

Such a view sees no cookie, no session and no token. Its language is that of the header `Accept-Language`, and its times
are in UTC. Middleware marks all other answers as dependent on cookies (`config.http.cache_control`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone, translation

LIFETIME_S: Final = 60 * 60
View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def for_everybody(view: View) -> View:
    """Decorate a view whose answer is the same for all readers of a language. Caches keep it for an hour, unless the
    view says otherwise."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        cookies, user = request.COOKIES, request.user
        request.COOKIES = {}
        request.user = AnonymousUser()
        try:
            with (
                translation.override(translation.get_language_from_request(request)),
                timezone.override(settings.TIME_ZONE),
            ):
                response = view(request, *args, **kwargs)
                response.headers.setdefault("Content-Language", translation.get_language())
        finally:
            request.COOKIES, request.user = cookies, user  # an error's answer, and what is logged, are the reader's
        if response.status_code in (200, 304):
            response.headers.setdefault("Cache-Control", f"public, max-age={LIFETIME_S}")
        response.for_everybody = True  # type: ignore[attr-defined]
        return response

    return answered  # type: ignore[return-value]


def is_for_everybody(response: HttpResponseBase) -> bool:
    """Return whether an answer is the same for all readers."""
    return getattr(response, "for_everybody", False)
