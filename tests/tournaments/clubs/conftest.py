"""Lantern Street. Niamh owns the club, Otto is an organiser, Martha a member; Laura is not a member, Ada is the
admin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.accounts import people
from games.models import Player
from tests.factories import worlds
from tests.factories.people import browser, nobody_has_tried_before
from tests.factories.people import confirmed as person
from tests.factories.worlds import LONG_AGO, People
from tournaments.clubs.models import Club, Membership

__all__ = ["LONG_AGO", "People", "browser", "nobody_has_tried_before", "person"]
Api = Callable[..., Any]
ROLES = {
    "anonymous": None,
    "stranger": "Laura",
    "member": "Martha",
    "organiser": "Otto",
    "owner": "Niamh",
    "admin": "Ada",
}


@pytest.fixture
def club_people(db: None) -> People:
    return worlds.street()


@pytest.fixture
def club(club_people: People) -> Club:
    """Return the public club. People ask to join."""
    return worlds.club(club_people)


@pytest.fixture
def private(club: Club) -> Club:
    """Return the same club, visible to its members only."""
    return worlds.private(club)


@pytest.fixture
def guest(db: None) -> User:
    user = User.objects.create_user("guest-1234")
    people.create_profile_and_player(user, "Guest 1234", guest=True)
    return user


def player(user: User) -> Player:
    return Player.objects.get(user=user)


def member(club: Club, user: User) -> Membership:
    return club.memberships.get(user=user)


def call(user: User | None, method: str, path: str, data: Any = None) -> Any:
    """Return the API's answer to `user`."""
    client = browser(user)
    sent = {} if method == "get" else data  # with a GET they would be query parameters
    return getattr(client, method)(f"/api/v1/{path}", sent, content_type="application/json")


def code(answer: Any) -> tuple[int, str]:
    """Return status and code of a refusal; "" as code for a success."""
    body = answer.json() if answer.content and answer["Content-Type"].startswith("application/json") else {}
    error = body.get("error", {}) if isinstance(body, dict) else {}
    if error:
        assert error["sentence"], "every refusal says what to do"
    return answer.status_code, error.get("code", "")
