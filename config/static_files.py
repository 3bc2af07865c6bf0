"""Static files, served by the web process itself."""

from __future__ import annotations

from contextlib import closing

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]  # whitenoise has no types
    """Whitenoise, whose answers Django would stream through a thread under ASGI: ours are small, and sent whole."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        streamed = WhiteNoiseMiddleware.serve(static_file, request)
        with closing(streamed):
            return HttpResponse(streamed.getvalue(), status=streamed.status_code, headers=streamed.headers)
