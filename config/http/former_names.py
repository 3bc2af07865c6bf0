"""Accepts addresses and parameters under the names that they had in 0.1.0. To be removed after the next release."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect

from games.common.policy import API_ROOT

FORMER_ENDINGS: Final = {"/pair-anew/": "/pair-again/"}
FORMER_PARAMETERS: Final = {"eyes": "viewpoint"}


class FormerNamesMiddleware:
    """Middleware that sends who asks for a page at a former address to the present one, and answers any other request
    as if it had been sent there."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        for former, present in FORMER_ENDINGS.items():
            if request.path_info.endswith(former):
                request.path_info = request.path_info.removesuffix(former) + present
                request.path = request.path.removesuffix(former) + present
                if request.method in ("GET", "HEAD") and not request.path.startswith(API_ROOT):
                    return HttpResponsePermanentRedirect(request.get_full_path())
        for former, present in FORMER_PARAMETERS.items():
            if former in request.GET:
                parameters = request.GET.copy()
                parameters.setlistdefault(present, parameters.pop(former))
                request.GET = parameters  # type: ignore[assignment]
        return self.get_response(request)
