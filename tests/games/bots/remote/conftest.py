"""The people of these tests: Dora has a remote bot, Puffin, and its access token; Emil is another author, Martha a
person."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.accounts import tokens
from games.accounts.models import AccessToken
from games.bots.remote import services as remote_bots
from games.models import Bot, Player
from tests.factories.people import joined

Author = Callable[[str], User]
Token = Callable[..., str]


@dataclass
class Api:
    """A program that uses the API, with or without a token."""

    secret: str | None
    client: Client

    def call(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.secret}"} if self.secret else {}
        return self.client.generic(
            method,
            f"/api/v1/{path}",
            "" if body is None else json.dumps(body),
            content_type="application/json",
            headers=headers,
        )

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: Any = None) -> Any:
        return self.call("POST", path, body or {})


@pytest.fixture
def author(db: None) -> Author:
    """Return a function that creates a person with an account and a player."""

    def make(name: str) -> User:
        user = joined(name).user
        assert user
        return user

    return make


@pytest.fixture
def dora(author: Author) -> User:
    return author("Dora")


@pytest.fixture
def emil(author: Author) -> User:
    return author("Emil")


@pytest.fixture
def martha(author: Author) -> Player:
    return Player.objects.get(user=author("Martha"))


@pytest.fixture
def puffin(dora: User) -> Bot:
    return remote_bots.create_bot(owner=dora, name="Puffin")


@pytest.fixture
def token(dora: User) -> Token:
    """Return a function that returns the secret of a new token with these scopes, of Dora or of `user`."""

    def make(*scopes: str, bot: Bot | None = None, user: User | None = None) -> str:
        return tokens.create_token(user=user or dora, name="laptop", wanted=scopes, bot=bot)[1]

    return make


@pytest.fixture
def puffins(token: Token, puffin: Bot) -> str:
    """Return the secret of the token with which Puffin plays."""
    return token("read", "play", bot=puffin)


def api(secret: str | None = None) -> Api:
    """Return a program with this token. It sends no cookies, and Django checks CSRF as it does outside of tests."""
    return Api(secret, Client(enforce_csrf_checks=True))


def row_of(secret: str) -> AccessToken:
    return AccessToken.objects.get(prefix=secret[3:11])


def error(response: Any) -> tuple[int, str]:
    """Check an error's format and sentence, and return its status and code."""
    described = response.json()["error"]
    assert described["status"] == response.status_code
    assert described["sentence"].endswith(".")
    return described["status"], described["code"]
