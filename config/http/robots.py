"""`/robots.txt`: which pages search engines are asked to leave out."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from games.common.for_everybody import for_everybody

# Pages that need a login, are for programs, or repeat another page in another form.
LEFT_OUT: Final = ("/accounts/", "/admin/", "/api/", "/health/", "/me/", "/metrics", "/zone/", "/*?")


@require_safe
@for_everybody
def robots(_request: HttpRequest) -> HttpResponse:
    """Return the same file to every crawler."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in LEFT_OUT)]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
