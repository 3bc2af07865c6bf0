"""``Authorization: Bearer sb_…`` for REST framework, and its description in the OpenAPI document (RFC 6750)."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from games.accounts import tokens
from games.accounts.models import AccessToken
from games.common import rate_limits
from games.common.errors import DomainError
from games.common.policy import ViewFunction, view_of


def user_of_token(secret: str, view: ViewFunction | None, method: str, address: str) -> tuple[User, AccessToken]:
    """Return the user who sends this token from `address`, as `tokens.user_for` does.

    An unknown token counts as a guess.

    Raises `DomainError` as `tokens.user_for` does, and throttled (429). Everything that takes tokens calls this.
    """
    try:
        return tokens.user_for(secret, view, method)
    except DomainError as refused:
        if refused.code == "bad_token":
            rate_limits.count_guess(address)
        raise


class TokenAuthentication(BaseAuthentication):
    """Reads the token.

    A request with a token needs no CSRF token, because browsers do not send tokens by themselves.
    """

    def authenticate(self, request: Request) -> tuple[User, AccessToken] | None:
        secret = tokens.secret_in(request.META.get("HTTP_AUTHORIZATION", ""))
        if secret is None:
            return None
        address = request.META.get("REMOTE_ADDR", "")
        user, token = user_of_token(secret, view_of(request), request.method or "", address)
        looked_at = getattr(
            request._request, "impersonation", None
        )  # of games.moderation.impersonation, which checks the token
        return (looked_at.user if looked_at else user), token

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002  of the base class
        return 'Bearer realm="scorebook"'


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Describes tokens in the OpenAPI document."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:  # noqa: ARG002
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "An access token. Create one on your profile. docs/reference/api.md lists the scopes.",
        }
