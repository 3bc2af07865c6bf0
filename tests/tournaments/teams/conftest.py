"""Seasons of teams, of bots and of people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from games.common import clock
from games.models import Player
from tests.factories import worlds
from tests.tournaments.club import BEGIN, SEED, builtin_bots
from tournaments.clubs.models import Membership
from tournaments.director import director
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import Entrant, League, Match, Season
from tournaments.teams import services as teams

TeamSeason = Callable[..., Season]
Paired = Callable[..., Match]


def new_season(league: League, **settings: Any) -> Season:
    usual = {
        "name": "Teams",
        "kind": "chinese_ten",
        "format": "team_round_robin",
        "format_options": {"boards": 2},
        "calendar": {"seconds": 60},
    }
    return seasons.create_season(league=league, **{**usual, **settings})


def register(season: Season, name: str, members: Sequence[Player]) -> Entrant:
    return teams.register_team(season=season, name=name, members=members, captain=members[0])


@pytest.fixture
def bot_teams(league: League) -> TeamSeason:
    """Return a function that starts a season of teams of bots: so many teams with so many players each."""

    def start(count: int = 3, players: int = 3, **settings: Any) -> Season:
        with clock.frozen_at(BEGIN):
            season = new_season(league, **settings)
            bots = builtin_bots(f"Bot {number}" for number in range(count * players))
            for number in range(count):
                register(season, f"Team {number + 1}", bots[number * players : (number + 1) * players])
            return seasons.start_season(season=season, seed=SEED)

    return start


@pytest.fixture
def people(league: League) -> list[Player]:
    """Return six people of the club."""
    found = worlds.members()
    Membership.objects.bulk_create(Membership(club=league.club, user_id=person.user_id or 0) for person in found)
    return found


@pytest.fixture
def paired(league: League, people: list[Player]) -> Paired:
    """Return a function that pairs two teams of three people each, for matches of two boards."""

    def pair(sizes: tuple[int, int] = (3, 3), **options: Any) -> Match:
        with clock.frozen_at(BEGIN):
            season = new_season(league, terms={"rated": True}, format_options={"boards": 2, **options})
            register(season, "Foxes", people[: sizes[0]])
            register(season, "Herons", people[3 : 3 + sizes[1]])
            seasons.start_season(season=season, seed=SEED)
            director.advance()
        return Match.objects.get()

    return pair
