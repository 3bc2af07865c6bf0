"""A user's keyboard shortcuts, stored in the profile or, without an account, in a cookie."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import quote, unquote

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from games.accounts.models import Profile
from games.common.shortcuts import Choice, checked

COOKIE: Final = "shortcuts"


def _from_json(data: Any) -> Choice:
    """Return a stored choice; the default if it is invalid."""
    try:
        return checked(bool(data.get("on", True)), dict(data.get("keys", {})))
    except (AttributeError, TypeError, ValueError):
        return Choice()


def choice_of(user: AbstractBaseUser | AnonymousUser) -> Choice:
    """Return the choice of a user with an account. One query."""
    return _from_json(Profile.objects.filter(user=user.pk).values_list("shortcuts", flat=True).first())


def chosen(request: HttpRequest) -> Choice:
    """Return the choice of this request: the account's or, without an account, the browser's."""
    if request.user.is_authenticated:
        return choice_of(request.user)
    try:
        return _from_json(json.loads(unquote(request.COOKIES.get(COOKIE, ""))))
    except (RecursionError, ValueError):  # a cookie can hold anything
        return Choice()


def save(user: AbstractBaseUser, choice: Choice) -> None:
    """Store the choice of a user with an account."""
    kept = {"on": choice.on, "keys": dict(choice.keys)}
    Profile.objects.update_or_create(user_id=user.pk, defaults={"shortcuts": kept})


def cookie_value(choice: Choice) -> str:
    """Return the choice in the form in which the cookie holds it."""
    return quote(json.dumps({"on": choice.on, "keys": dict(choice.keys)}, separators=(",", ":")))
