"""The cast: Martha, Laura and Otto have accounts; a stranger has none; house bots go by the name of their program."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from games.accounts import people
from games.models import Player

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def nobody_has_tried_before(db: None) -> Iterator[None]:
    """Limits on tries are counted in the cache."""
    cache.clear()
    yield
    cache.clear()


def joined(name: str, *, guest: bool = False) -> Player:
    """Somebody of that name, with an account or as a guest."""
    return people.welcome(User.objects.create_user(name.lower()), name, guest=guest)


def browser_of(player: Player) -> Client:
    """A browser in which `player` is logged in."""
    client = Client()
    assert player.user
    client.force_login(player.user)
    return client


@pytest.fixture
def martha(db: None) -> Player:
    return joined("Martha")


@pytest.fixture
def laura(db: None) -> Player:
    return joined("Laura")


@pytest.fixture
def otto(db: None) -> Player:
    return joined("Otto")


@pytest.fixture
def guest(db: None) -> Player:
    return joined("Guest 4821", guest=True)
