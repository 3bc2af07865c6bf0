"""Static files: their names from `collectstatic`, and serving them from the web process.

Every file has one name: a script loaded under two names would run twice. So files that Vite named after their content
keep that name.
"""

from __future__ import annotations

import re
from contextlib import closing
from typing import Any

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

VITE_ASSET = re.compile(r"assets/[^/]+-[\w-]{8}\.\w+")  # as assets/replay-CKB6hzYY.js


class CompressedStaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Adds names that depend on the content, and compressed copies."""

    def hashed_name(self, name: str, content: Any = None, filename: str | None = None) -> str:
        if VITE_ASSET.fullmatch(name):
            return name
        hashed: str = super().hashed_name(name, content, filename)
        return hashed


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]  # whitenoise has no types
    """Whitenoise. Django would stream its responses through a thread under ASGI; these are small and sent whole."""

    def immutable_file_test(self, path: str, url: str) -> bool:
        """Return whether browsers may keep that file for ever; that includes files named by Vite."""
        if VITE_ASSET.fullmatch(url.removeprefix(self.static_prefix)):
            return True
        immutable: bool = super().immutable_file_test(path, url)
        return immutable

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        streamed = WhiteNoiseMiddleware.serve(static_file, request)
        with closing(streamed):
            return HttpResponse(streamed.getvalue(), status=streamed.status_code, headers=streamed.headers)
