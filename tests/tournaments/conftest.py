"""A small club. The cast: Niamh owns it and runs it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model

from config.celery import app
from games.common import clock
from games.models import Player
from tests.remembered import remembered, world
from tests.tournaments.club import BEGIN, NAMES, SEED, Start, house_bots, rules
from tournaments.models import Club, League, Season
from tournaments.seasons import services as seasons


@pytest.fixture(autouse=True, scope="session")
def messages_stay_here() -> None:
    """What hurries workers goes to a broker in memory: these tests call the steps themselves."""
    app.conf.broker_url = "memory://"
    app.conf.broker_transport_options = {}


@pytest.fixture
@world
def league(db: None) -> League:
    """Lantern Street's league."""
    niamh = get_user_model().objects.create_user("niamh")
    club = Club.objects.create(name="Lantern Street Card Club", slug="lantern", zone="Europe/Dublin", owner=niamh)
    return League.objects.create(club=club, name="Chinese Ten League", slug="chinese-ten")


@pytest.fixture
@world
def bots(db: None) -> list[Player]:
    """Nine house bots."""
    return house_bots(NAMES)


@pytest.fixture
def running(league: League, bots: list[Player]) -> Start:
    """A started season of the first `entrants` bots, whose first round may be opened at `BEGIN`."""

    def start(entrants: int = 4, **settings: Any) -> Season:
        usual = {"name": "Autumn 2026", "kind": "chinese_ten", "options": {"packs": 1}, "calendar": {"seconds": 60}}
        wanted: dict[str, Any] = usual | settings
        if wanted.get("format") == "ladder":  # house bots challenge nobody: somebody has to be able to come later
            wanted.setdefault("entry", {"late_rounds": 1})

        def make() -> Season:
            with clock.at(BEGIN):
                season = seasons.create_season(league=league, **wanted)
                for player in bots[:entrants]:
                    seasons.join(season=season, player=player)
                return seasons.start(season=season, seed=SEED)

        return remembered(("running", entrants, rules(), repr(sorted(wanted.items()))), make, seldom=bool(settings))

    return start
