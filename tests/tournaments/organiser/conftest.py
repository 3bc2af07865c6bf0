"""A club whose people play by correspondence, a round a week. Niamh owns it; Martha, Laura, Otto and Jonas play.

At `LATE`, half a day is left before round 1 is to be over.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from games.common import clock
from games.models import Player
from tests.factories import worlds
from tests.fixtures.saved_rows import restored
from tests.tournaments.club import BEGIN
from tests.tournaments.entries.test_entries import season_of
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.organiser import inbox, nudges
from tournaments.organiser.inbox_item import InboxItem
from tournaments.seasons.models import League, Match, Season

A_DAY = timedelta(days=1)
LATE = BEGIN + timedelta(days=6, hours=12)
FIRST = ("league", "club_people", "played", "disputed")


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


@pytest.fixture(autouse=True)
def what_is_remembered_comes_first(request: Any) -> None:
    """Make the remembered fixtures before anybody logs in. Their rows are copied only into a database that is still
    empty."""
    for name in FIRST:
        if name in request.fixturenames:
            request.getfixturevalue(name)


@pytest.fixture
def club_people(db: None) -> list[Player]:
    return worlds.members()


@pytest.fixture
def played(league: League, club_people: list[Player]) -> Season:
    """Return a season of four whose first round is open."""

    def make() -> Season:
        season = season_of(league, club_people[:4], on_round_deadline="adjudicate")
        with clock.frozen_at(BEGIN):
            director.advance()
        return season

    return restored("a round by correspondence", make)


@pytest.fixture
def club(league: League) -> Club:
    return league.club


@pytest.fixture
def niamh(client: Client, club: Club) -> Client:
    client.force_login(club.owner)
    return client


def on(club: Club, what: str = "") -> list[InboxItem]:
    return [item for item in inbox.inbox_items([club]) if not what or item.what == what]


def send(browser: Client, do: str, **data: Any) -> Any:
    """Press a button of the club's inbox, and return the page that follows."""
    return browser.post("/clubs/lantern/inbox/", {"do": do, **data}, follow=True)


def nudge(match: Match, user: User, note: str = "") -> list[Player]:
    return nudges.nudge_match(match=match, user=user, note=note)
