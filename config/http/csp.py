"""The Content-Security-Policy (W3C CSP Level 3) of every response: what a page may load and run.

No page has inline scripts or styles, so none are allowed: markup smuggled into a page does nothing. Django 6 has such a
middleware; until then, this one is shorter than a package.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from games.common.content_policy import content_policy_of

DEFAULT_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",  # the QR code for an authenticator app is an inline picture
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "worker-src": "'self'",  # shows notices (config.http.service_worker)
    "frame-src": "'self'",  # a replay beside a bot's output
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
# Other sites may show a replay in a frame.
EMBEDDED_POLICY = {**DEFAULT_POLICY, "frame-ancestors": "*"}
# The admin's menus use Alpine.js, which turns attributes of unfold's templates into functions, and place the action bar
# of lists by a style attribute. Inline scripts and style elements are refused there too.
ADMIN_POLICY = {**DEFAULT_POLICY, "script-src": "'self' 'unsafe-eval'", "style-src-attr": "'unsafe-inline'"}


def with_vite_server(policy: dict[str, str], port: int) -> dict[str, str]:
    """Return the policy for a front end from Vite's server, which adds style elements to the page."""
    allowed = {
        "script-src": f"http://localhost:{port}",
        "style-src": f"http://localhost:{port} 'unsafe-inline'",
        "img-src": f"http://localhost:{port}",
        "connect-src": f"http://localhost:{port} ws://localhost:{port}",
    }
    return {directive: f"{sources} {allowed.get(directive, '')}".strip() for directive, sources in policy.items()}


def policy_header(policy: dict[str, str]) -> str:
    """Return a policy as the header's value."""
    return "; ".join(f"{directive} {sources}" for directive, sources in policy.items())


class ContentSecurityPolicy:
    """Middleware that sets the header: the page's own, the admin's, that of pages that may be framed, or the
    platform's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        policies = [DEFAULT_POLICY, EMBEDDED_POLICY, ADMIN_POLICY]
        if settings.VITE_PORT:
            policies = [with_vite_server(policy, settings.VITE_PORT) for policy in policies]
        self.default, self.embedded, self.admin = map(policy_header, policies)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if settings.DEBUG and response.status_code == 500:
            return response  # Django's debug page has inline styles and scripts
        response.headers["Content-Security-Policy"] = self.policy_of(request, response)
        return response

    def policy_of(self, request: HttpRequest, response: HttpResponse) -> str:
        if own := content_policy_of(response):
            return policy_header(own)
        if request.path.startswith(reverse("admin:index")):
            return self.admin
        return self.embedded if getattr(response, "xframe_options_exempt", False) else self.default
