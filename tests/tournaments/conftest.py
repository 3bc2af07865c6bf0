"""A small club. The cast: Niamh owns it and runs it."""

from __future__ import annotations

from functools import partial

import pytest

from config.celery import app
from games.models import Player
from tests.factories import worlds
from tests.tournaments.club import Start
from tournaments.seasons.models import League


@pytest.fixture(autouse=True, scope="session")
def messages_stay_here() -> None:
    """Send the messages that wake workers to a broker in memory: these tests call the steps themselves."""
    app.conf.broker_url = "memory://"
    app.conf.broker_transport_options = {}


@pytest.fixture
def league(db: None) -> League:
    """Return Lantern Street's league."""
    return worlds.league()


@pytest.fixture
def bots(db: None) -> list[Player]:
    """Return nine built-in bots."""
    return worlds.bots()


@pytest.fixture
def running(league: League, bots: list[Player]) -> Start:
    """Return a function that starts a season of the first `entrants` bots. Its first round can be opened at `BEGIN`."""
    return partial(worlds.season, league, bots)
