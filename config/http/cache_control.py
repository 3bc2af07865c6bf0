"""Which answers may be kept by whom (RFC 9111): what was made for somebody is for their own browser or program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control

from games.common.policy import API_ROOT

API_CACHE_CONTROL: Final = "private, no-store"
PAGE_CACHE_CONTROL: Final = (
    "private, no-cache"  # kept for the browser's Back, which brings back what was typed into a form
)


def is_anonymous(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether an answer was made for nobody in particular: without a session, one that begins, or a token."""
    named = settings.SESSION_COOKIE_NAME in request.COOKIES or settings.SESSION_COOKIE_NAME in response.cookies
    return not named and "Authorization" not in request.headers


class CacheControlMiddleware:
    """The middleware: sets `Cache-Control` of every answer to a request with a session or a token, and of one that
    begins a session. Where a view has set the header itself, `private` is added to it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not is_anonymous(request, response):
            response.setdefault(
                "Cache-Control", API_CACHE_CONTROL if request.path.startswith(API_ROOT) else PAGE_CACHE_CONTROL
            )
            patch_cache_control(response, private=True)
        return response
