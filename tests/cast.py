"""Fixtures of people who play each other: Martha, Laura and Otto."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.models import Deal, Game, Player
from games.play import services as play


@pytest.fixture
def person(db: None) -> Callable[[str], Player]:
    """Create a person with this name."""

    def make(name: str) -> Player:
        return Player.objects.create(name=name, user=User.objects.create_user(name.lower(), password="pw"))

    return make


@pytest.fixture
def martha(person: Callable[[str], Player]) -> Player:
    return person("Martha")


@pytest.fixture
def laura(person: Callable[[str], Player]) -> Player:
    return person("Laura")


@pytest.fixture
def otto(person: Callable[[str], Player]) -> Player:
    return person("Otto")


@pytest.fixture
def game(martha: Player, laura: Player) -> Game:
    """Return a game of Chinese Ten in which Martha moves first and Laura second. The deal is always the same."""
    return play.open_game(
        kind="chinese_ten", players=[martha, laura], deal=Deal.objects.create(seed=bytes(range(32))), terms={}
    )


@pytest.fixture
def sign_in() -> Callable[[Player], Client]:
    """Return a browser in which the player is logged in."""

    def browser(player: Player) -> Client:
        client = Client()
        assert player.user
        client.force_login(player.user)
        return client

    return browser
