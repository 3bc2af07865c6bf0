"""A page that needs another Content-Security-Policy than the platform's states it here (`config.http.csp`)."""

from __future__ import annotations

from django.http import HttpResponse


def set_content_policy(response: HttpResponse, policy: dict[str, str]) -> None:
    """Give a response a policy of its own, by directive."""
    vars(response)["content_policy"] = policy


def content_policy_of(response: object) -> dict[str, str] | None:
    """Return the response's own policy; None if it has the platform's."""
    return getattr(response, "content_policy", None)
