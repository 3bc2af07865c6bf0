"""Accepts addresses and parameters under the names that they had in 0.1.0. To be removed after the next release."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect

from games.common.policy import API_ROOT

# As wholes: a club may be called so, and a redirection to `//example.org/…` would leave the platform.
FORMER_ADDRESSES: Final = {
    re.compile(r"(/clubs/[-\w]+/[-\w]+/[-\w]+)/pair-anew/"): r"\1/pair-again/",
    re.compile(rf"({API_ROOT}seasons/\w+)/pair-anew/"): r"\1/pair-again/",
}
FORMER_PARAMETERS: Final = {"eyes": "viewpoint"}


class FormerNamesMiddleware:
    """Middleware that sends who asks for a page at a former address to the present one, and answers any other request
    as if it had been sent there."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        for former, present in FORMER_ADDRESSES.items():
            if found := former.fullmatch(request.path_info):
                request.path = request.path.removesuffix(request.path_info) + found.expand(present)
                request.path_info = found.expand(present)
                if request.method in ("GET", "HEAD") and not request.path_info.startswith(API_ROOT):
                    return HttpResponsePermanentRedirect(request.get_full_path())
        for former_name, name in FORMER_PARAMETERS.items():
            if former_name in request.GET:
                parameters = request.GET.copy()
                parameters.setlistdefault(name, parameters.pop(former_name))
                request.GET = parameters  # type: ignore[assignment]
        return self.get_response(request)
