"""A small club. The cast: Niamh owns it and runs it."""

from __future__ import annotations

from functools import partial

import pytest

from config.celery import app
from games.models import Player
from tests import worlds
from tests.tournaments.club import Start
from tournaments.seasons.models import League


@pytest.fixture(autouse=True, scope="session")
def messages_stay_here() -> None:
    """What hurries workers goes to a broker in memory: these tests call the steps themselves."""
    app.conf.broker_url = "memory://"
    app.conf.broker_transport_options = {}


@pytest.fixture
def league(db: None) -> League:
    """Lantern Street's league."""
    return worlds.league()


@pytest.fixture
def bots(db: None) -> list[Player]:
    """Nine built-in bots."""
    return worlds.bots()


@pytest.fixture
def running(league: League, bots: list[Player]) -> Start:
    """A started season of the first `entrants` bots, whose first round may be opened at `BEGIN`."""
    return partial(worlds.season, league, bots)
