"""Creates people with an account and a player, and browsers for them. A folder's conftest.py imports its fixtures."""

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
    """Clear the cache, in which limits on attempts are counted."""
    cache.clear()
    yield
    cache.clear()


def joined(name: str, *, email: str = "", flags: dict[str, Any] | None = None, **profile: Any) -> Player:
    """Create a person who has signed up. An email address is confirmed. `flags` belong to the account, such as
    `is_staff`."""
    user = User.objects.create_user(names.name_key(name), email=email, password=PASSWORD, **(flags or {}))
    player = people.create_profile_and_player(user, name, **profile)
    if email:
        EmailAddress.objects.create(user=user, email=email, primary=True, verified=True)
    return player


@pytest.fixture
def martha(db: None) -> Player:
    return joined("Martha")


@pytest.fixture
def laura(db: None) -> Player:
    return joined("Laura")


@pytest.fixture
def otto(db: None) -> Player:
    return joined("Otto")


def confirmed(name: str, **flags: Any) -> User:
    """Create the account of a person with a confirmed email address."""
    user = joined(name, flags=flags).user
    assert user
    EmailAddress.objects.create(user=user, email=f"{name.lower()}@example.org", primary=True, verified=True)
    return user


def browser(user: User | None) -> Client:
    """Return a browser in which `user` is logged in; without login for None."""
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def browser_of(player: Player) -> Client:
    """Return a browser in which `player` is logged in."""
    assert player.user
    return browser(player.user)
