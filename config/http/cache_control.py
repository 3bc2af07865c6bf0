"""Sets who may cache a response (RFC 9111): a personal one only the person's own browser or program, and one that is
the same for all readers every cache on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control

from games.common.for_everybody import is_for_everybody
from games.common.policy import API_ROOT

API_CACHE_CONTROL: Final = "private, no-store"
PAGE_CACHE_CONTROL: Final = (
    "private, no-cache"  # cached for the browser's Back button, which restores what was typed into a form
)


def is_anonymous(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return whether a response is not personal: there is no session and no token, and it sets no cookie."""
    named = settings.SESSION_COOKIE_NAME in request.COOKIES or bool(response.cookies)
    return not named and "Authorization" not in request.headers


class CacheControlMiddleware:
    """Middleware that sets `Cache-Control` on responses to requests with a session or token, and on one that sets a
    cookie. If a view has set the header, `private` is added. What is the same for all readers does not vary by cookie,
    whatever other middleware has looked at, unless that middleware sets one, such as for a session that has ended."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if is_for_everybody(response) and not response.cookies:
            vary = [name.strip() for name in response.get("Vary", "").split(",")]
            del response["Vary"]
            if rest := [name for name in vary if name not in ("", "Cookie")]:
                response["Vary"] = ", ".join(rest)
        elif not is_anonymous(request, response):
            response.setdefault(
                "Cache-Control", API_CACHE_CONTROL if request.path.startswith(API_ROOT) else PAGE_CACHE_CONTROL
            )
            patch_cache_control(response, private=True)
        return response
