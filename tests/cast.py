"""People who play each other, as fixtures for a file or the conftest.py of a folder: Martha, Laura and Otto."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.models import Deal, Game, Player
from games.play import services as play


@pytest.fixture
def person(db: None) -> Callable[[str], Player]:
    """Make a person with that name."""

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
    """Chinese Ten between Martha, who is to move, and Laura; always the same deal."""
    return play.open_game(
        kind="chinese_ten", players=[martha, laura], deal=Deal.objects.create(seed=bytes(range(32))), terms={}
    )


@pytest.fixture
def sign_in() -> Callable[[Player], Client]:
    """A browser in which that player is signed in."""

    def browser(player: Player) -> Client:
        client = Client()
        assert player.user
        client.force_login(player.user)
        return client

    return browser
