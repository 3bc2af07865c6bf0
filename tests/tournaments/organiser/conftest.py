"""A club whose people play by correspondence, a round a week. Niamh owns it; Martha, Laura, Otto and Jonas play."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache

from games.common import clock
from games.models import Player
from tests.factories import worlds
from tests.fixtures.saved_rows import restored
from tests.tournaments.club import BEGIN
from tests.tournaments.entries.test_entries import season_of
from tournaments.director import director
from tournaments.seasons.models import League, Season

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
