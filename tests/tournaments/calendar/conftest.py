"""A live league whose players agree on times. The cast: Martha, Laura and Otto play; Niamh owns the club."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.test import Client

from games.accounts import people
from games.common import clock
from games.models import Player
from tests.fixtures.saved_rows import restored
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League, Match, Season

# The Monday of the week in which summer time ends in Dublin, on Sunday.
MONDAY = datetime(2026, 10, 19, 8, 0, tzinfo=UTC)
SUNDAY = datetime(2026, 10, 25, 18, 0, tzinfo=UTC)  # 18:00 in Dublin, in winter time
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
AGREED = {"seconds": 7 * 86400, "match_time": "agreed", "fallback_time": "sun 18:00"}
Join = Callable[..., Player]
Begin = Callable[..., Season]


@pytest.fixture
def join(db: None) -> Join:
    """Return a function that signs a person up with a confirmed email address."""

    def make(name: str, zone: str = "Europe/Dublin") -> Player:
        return restored(("joined", name, zone), lambda: joined(name, zone))

    return make


def joined(name: str, zone: str) -> Player:
    user = User.objects.create_user(name.lower())
    EmailAddress.objects.create(user=user, email=f"{name.lower()}@example.org", primary=True, verified=True)
    return people.create_profile_and_player(user, name, zone=zone)


@pytest.fixture
def martha(join: Join) -> Player:
    return join("Martha")


@pytest.fixture
def laura(join: Join) -> Player:
    return join("Laura", "America/New_York")


@pytest.fixture
def otto(join: Join) -> Player:
    return join("Otto")


def user_of(player: Player) -> User:
    assert player.user
    return player.user


def signed_in(player: Player) -> Client:
    client = Client()
    client.force_login(user_of(player))
    return client


@pytest.fixture
def begin(league: League) -> Begin:
    """Return a function that starts a live season on Monday and pairs its first round. The players agree on times."""

    def start(*players: Player, calendar: dict[str, Any] | None = None, pair: bool = True, **asked: Any) -> Season:
        terms = asked.pop("terms", {"move_seconds": 30, "bank_seconds": 60})
        wanted = {"name": "Autumn", "kind": "chinese_ten", "format": "round_robin", **asked}
        wanted |= {"terms": terms, "calendar": calendar or AGREED}

        def make() -> Season:
            with clock.frozen_at(MONDAY):
                season = seasons.create_season(league=league, **wanted)
                entries.enter_players(season=season, players=players)
                seasons.start_season(season=season, seed="5a" * 32)
                if pair:
                    director.advance()
            return season

        name = ("begun", *(player.name for player in players), pair, repr(sorted(wanted.items())))
        return restored(name, make, seldom=True)

    return start


def match_of(*players: Player) -> Match:
    """Return the latest row of a match between these players."""
    found = Match.objects.select_related("round__division__season__league__club")
    for player in players:
        found = found.filter(entrants__entrant__player=player)
    return found.order_by("-pk")[0]
