"""The user of a request that only signed-in users may make."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest
from rest_framework.request import Request


def signed_in_user(request: HttpRequest | Request) -> User:
    """Return the user. The page or the permission of the API has sent everybody else away."""
    assert isinstance(request.user, User)
    return request.user
