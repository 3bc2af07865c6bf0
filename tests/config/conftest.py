"""The people of these tests: Martha and Laura play each other, Otto watches, Ada is the admin."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.fixtures.players import game, laura, martha, otto, person, sign_in

__all__ = ["game", "laura", "martha", "otto", "person", "sign_in"]


@pytest.fixture
def ada(db: None) -> User:
    """Return an admin."""
    return User.objects.create_superuser("ada")


@pytest.fixture
def browser(ada: User) -> Client:
    """Return the admin's browser."""
    client = Client()
    client.force_login(ada)
    return client
