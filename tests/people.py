"""People as tests need them: with an account and a player, and in a browser of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from games.accounts import names, people
from games.models import Player

PASSWORD = "lamp and lantern 7"


@pytest.fixture(autouse=True)
def nobody_has_tried_before(db: None) -> Iterator[None]:
    """Limits on tries are counted in the cache. For the conftest.py of a folder."""
    cache.clear()
    yield
    cache.clear()


def joined(name: str, *, email: str = "", flags: dict[str, Any] | None = None, **profile: Any) -> Player:
    """Somebody who has signed up; with an address it is confirmed. `flags` are the account's, as `is_staff`."""
    user = User.objects.create_user(names.name_key(name), email=email, password=PASSWORD, **(flags or {}))
    player = people.create_profile_and_player(user, name, **profile)
    if email:
        EmailAddress.objects.create(user=user, email=email, primary=True, verified=True)
    return player


def confirmed(name: str, **flags: Any) -> User:
    """The account of somebody who has signed up with an address of their own."""
    user = joined(name, flags=flags).user
    assert user
    EmailAddress.objects.create(user=user, email=f"{name.lower()}@example.org", primary=True, verified=True)
    return user


def browser(user: User | None) -> Client:
    """A browser in which `user` is signed in; nobody for None."""
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def browser_of(player: Player) -> Client:
    """A browser in which `player` is signed in."""
    assert player.user
    return browser(player.user)
