"""The cast: Laura reports Martha; Otto looks on; Ada is an admin and Zoe another, Root is the superuser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission, User
from django.core.cache import cache
from django.test import Client

from games.accounts import names, people

PASSWORD = "lamp and lantern 7"
Join = Callable[..., User]


@pytest.fixture(autouse=True)
def nobody_has_tried_before(db: None) -> Iterator[None]:
    """Limits on tries are counted in the cache."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture(autouse=True)
def passwords_cost_nothing(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def join(db: None) -> Join:
    """Let somebody sign up, with a confirmed address."""

    def make(name: str, **flags: Any) -> User:
        user = User.objects.create_user(names.key(name), password=PASSWORD, **flags)
        people.welcome(user, name)
        address = f"{name.lower()}@example.org"
        EmailAddress.objects.create(user=user, email=address, primary=True, verified=True)
        return user

    return make


@pytest.fixture
def martha(join: Join) -> User:
    return join("Martha")


@pytest.fixture
def laura(join: Join) -> User:
    return join("Laura")


@pytest.fixture
def otto(join: Join) -> User:
    return join("Otto")


@pytest.fixture
def ada(join: Join) -> User:
    """An admin who may change what there is to change, and is no superuser."""
    return admin(join("Ada", is_staff=True))


@pytest.fixture
def zoe(join: Join) -> User:
    return admin(join("Zoe", is_staff=True))


@pytest.fixture
def root(join: Join) -> User:
    return join("Root", is_staff=True, is_superuser=True)


def admin(user: User) -> User:
    user.user_permissions.set(Permission.objects.filter(codename__startswith="change_"))
    return User.objects.get(pk=user.pk)


def browser(user: User | None) -> Client:
    """A browser in which `user` is signed in; nobody for None."""
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def call(user: User | None, method: str, path: str, data: Any = None) -> Any:
    """What the API answers `user`."""
    return getattr(browser(user), method)(f"/api/v1/{path}", data, content_type="application/json")


def code(answer: Any) -> tuple[int, str]:
    """Status and code of a refusal."""
    error = answer.json()["error"]
    assert error["sentence"], "every refusal says what to do"
    return answer.status_code, error["code"]
