"""Lantern Street. Niamh owns the club, Otto organises it, Martha is a member; Laura is none, Ada is the admin."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.accounts import people
from games.common import clock
from games.models import Player
from tests.people import browser, nobody_has_tried_before
from tests.people import confirmed as person
from tests.remembered import remembered, world
from tests.tournaments.club import BEGIN
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.models import Club, Membership

__all__ = ["browser", "nobody_has_tried_before", "person"]
People = dict[str, User]
LONG_AGO = BEGIN - timedelta(days=365)
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
def cast(db: None) -> People:
    return people_of_the_street()


@world
def people_of_the_street() -> People:
    with clock.at(LONG_AGO):
        names = ("Niamh", "Otto", "Martha", "Laura")
        return {**{name: person(name) for name in names}, "Ada": person("Ada", is_staff=True)}


@pytest.fixture
def club(cast: People) -> Club:
    """Public; whoever would like to join asks."""

    def make() -> Club:
        with clock.at(LONG_AGO):
            asked = {"name": "Lantern Street", "about": "Cards on Thursdays.", "zone": "Europe/Dublin"}
            made = club_lifecycle.found(user=cast["Niamh"], **asked)
            made.memberships.create(user=cast["Otto"], role=Membership.Role.ORGANISER)
            made.memberships.create(user=cast["Martha"])
            return made

    return remembered("the street's club", make)


@pytest.fixture
def private(club: Club) -> Club:
    """The same club, for its members alone."""

    def make() -> Club:
        with clock.at(LONG_AGO):
            return club_lifecycle.change(club=club, user=club.owner, visibility="private")

    return remembered("private", make)


@pytest.fixture
def guest(db: None) -> User:
    user = User.objects.create_user("guest-1234")
    people.welcome(user, "Guest 1234", guest=True)
    return user


def player(user: User) -> Player:
    return Player.objects.get(user=user)


def member(club: Club, user: User) -> Membership:
    return club.memberships.get(user=user)


def call(user: User | None, method: str, path: str, data: Any = None) -> Any:
    """What the API answers `user`."""
    client = browser(user)
    sent = {} if method == "get" else data  # what is sent with a GET would be parameters
    return getattr(client, method)(f"/api/v1/{path}", sent, content_type="application/json")


def code(answer: Any) -> tuple[int, str]:
    """Status and code of a refusal; the status and "" of what is none."""
    body = answer.json() if answer.content and answer["Content-Type"].startswith("application/json") else {}
    error = body.get("error", {}) if isinstance(body, dict) else {}
    if error:
        assert error["sentence"], "every refusal says what to do"
    return answer.status_code, error.get("code", "")
