"""Lets pages of other sites read public API data, and makes it cacheable.

Cross-origin reads follow the Fetch standard (fetch.spec.whatwg.org, "CORS protocol"). A response with `*` is never
given to a script that sent cookies, so it contains nothing personal; a script may send a token. Only reads are allowed:
changes are for this site's pages and for programs. A response to an anonymous client has an `ETag` and may be cached
(RFC 9111) if the server is asked each time whether it is still valid (304).
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.http import ConditionalGetMiddleware
from django.utils.cache import patch_vary_headers

from config.http.cache_control import is_anonymous
from games.common.policy import API_ROOT

PUBLIC_CACHE_CONTROL: Final = "public, no-cache"
READS: Final = ("GET", "HEAD")
ANY_ORIGIN: Final = {"Access-Control-Allow-Origin": "*"}
EXPOSED: Final = {"Access-Control-Expose-Headers": "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID"}
PREFLIGHT: Final = {
    **ANY_ORIGIN,
    "Access-Control-Allow-Methods": ", ".join(READS),
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match, Last-Event-ID",
    "Access-Control-Max-Age": "86400",
}


class PublicReadsMiddleware:
    """Middleware for the addresses of the API."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.conditional_get = ConditionalGetMiddleware(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(API_ROOT):
            return self.get_response(request)
        if request.method == "OPTIONS" and request.headers.get("Access-Control-Request-Method") in READS:
            return HttpResponse(status=204, headers=PREFLIGHT)
        response = self.get_response(request)
        if request.method not in READS:
            return response
        if response.status_code == 200 and is_anonymous(request, response):
            response.headers.setdefault("Cache-Control", PUBLIC_CACHE_CONTROL)
            patch_vary_headers(response, ["Accept", "Accept-Language", "Authorization", "Cookie"])
            set_etag(response)
            response = self.conditional_get.process_response(request, response)
        for name, value in (ANY_ORIGIN | EXPOSED).items():
            response.headers[name] = value
        return response


def set_etag(response: HttpResponseBase) -> None:
    """Give a compressed response an `ETag` from its content, because Django compresses the same content differently
    each time."""
    if isinstance(response, HttpResponse) and response.get("Content-Encoding") == "gzip":
        response.headers["ETag"] = f'W/"{hashlib.sha256(gzip.decompress(response.content)).hexdigest()[:32]}"'
