"""What a page may load and run: the Content-Security-Policy (W3C CSP Level 3) of every answer.

No page of the platform has a script or a style inside it, so none is let through: text that somebody smuggles into a
page does nothing. Django 6 brings such a middleware; until then this one is shorter than a package that does it.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

DEFAULT_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",  # the code for an authenticator app is drawn into its page
    "font-src": "'self'",
    "connect-src": "'self'",
    "frame-src": "'self'",  # a replay beside what its bot said
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
# A replay may be shown inside other people's pages.
EMBEDDED_POLICY = {**DEFAULT_POLICY, "frame-ancestors": "*"}
# The admin's menus are Alpine.js, which makes functions of what unfold's templates say in attributes, and lays the bar
# of a list's actions out by a style attribute. Scripts and style elements inside a page are refused there too.
ADMIN_POLICY = {**DEFAULT_POLICY, "script-src": "'self' 'unsafe-eval'", "style-src-attr": "'unsafe-inline'"}


def with_vite_server(policy: dict[str, str], port: int) -> dict[str, str]:
    """The policy of a page whose front end comes from Vite's server, which also puts style elements into the page."""
    allowed = {
        "script-src": f"http://localhost:{port}",
        "style-src": f"http://localhost:{port} 'unsafe-inline'",
        "img-src": f"http://localhost:{port}",
        "connect-src": f"http://localhost:{port} ws://localhost:{port}",
    }
    return {directive: f"{sources} {allowed.get(directive, '')}".strip() for directive, sources in policy.items()}


def policy_header(policy: dict[str, str]) -> str:
    """A policy as the header says it."""
    return "; ".join(f"{directive} {sources}" for directive, sources in policy.items())


class ContentSecurityPolicy:
    """Sets the header of every answer: the admin's, that of pages which others may frame, or else the platform's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        policies = [DEFAULT_POLICY, EMBEDDED_POLICY, ADMIN_POLICY]
        if settings.VITE_PORT:
            policies = [with_vite_server(policy, settings.VITE_PORT) for policy in policies]
        self.default, self.embedded, self.admin = map(policy_header, policies)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if settings.DEBUG and response.status_code == 500:
            return response  # Django's page for developers has its styles and scripts inside
        response.headers["Content-Security-Policy"] = self.policy_of(request, response)
        return response

    def policy_of(self, request: HttpRequest, response: HttpResponse) -> str:
        if request.path.startswith(reverse("admin:index")):
            return self.admin
        return self.embedded if getattr(response, "xframe_options_exempt", False) else self.default
