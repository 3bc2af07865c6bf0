"""The people of these tests: Laura reports Martha; Otto watches; Ada and Zoe are admins; Root is the superuser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User

from tests.factories.people import PASSWORD, browser, confirmed, nobody_has_tried_before

__all__ = ["PASSWORD", "browser", "nobody_has_tried_before"]
Join = Callable[..., User]


@pytest.fixture
def join(db: None) -> Join:
    """Return a function that signs a person up with a confirmed address."""
    return confirmed


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
    """Return an admin with all permissions who is not a superuser."""
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


def call(user: User | None, method: str, path: str, data: Any = None) -> Any:
    """Send a request to the API as `user`, and return the answer."""
    return getattr(browser(user), method)(f"/api/v1/{path}", data, content_type="application/json")


def code(answer: Any) -> tuple[int, str]:
    """Return status and code of a refusal."""
    error = answer.json()["error"]
    assert error["sentence"], "every refusal says what to do"
    return answer.status_code, error["code"]
