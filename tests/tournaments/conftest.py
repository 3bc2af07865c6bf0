"""A small club and ways to let it play. The cast: Niamh owns the club and runs it."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from config.celery import app
from games import clock, table
from games.engines.chance import SeedDealer
from games.models import Bot, BotVersion, Game, Player
from tournaments import director, seasons
from tournaments.models import Club, League, Season

BEGIN = datetime(2026, 9, 7, 19, 0, tzinfo=UTC)
SEED = "5a" * 32
NAMES = ("Gannet", "Tin Whistle", "Mother Goose", "Abacus", "Juniper", "Kittiwake", "Old Peat", "Wren", "Dipper")


@pytest.fixture(autouse=True, scope="session")
def messages_stay_here() -> None:
    """What hurries workers goes to a broker in memory: these tests call the steps themselves."""
    app.conf.broker_url = "memory://"
    app.conf.broker_transport_options = {}


@pytest.fixture
def league() -> League:
    """Lantern Street's league."""
    niamh = get_user_model().objects.create_user("niamh")
    club = Club.objects.create(name="Lantern Street Card Club", slug="lantern", zone="Europe/Dublin", owner=niamh)
    return League.objects.create(club=club, name="Chinese Ten League", slug="chinese-ten")


@pytest.fixture
def bots() -> list[Player]:
    """Nine house bots."""
    return [house_bot(name) for name in NAMES]


def house_bot(name: str) -> Player:
    version = BotVersion.objects.create(
        bot=Bot.objects.create(name=name), number=1, transport=BotVersion.Transport.HOUSE, program="random"
    )
    return Player.objects.create(bot_version=version, name=name)


@pytest.fixture
def running(league: League, bots: list[Player]) -> Callable[..., Season]:
    """A started season of the first `entrants` bots, whose first round may be opened at `BEGIN`."""

    def start(entrants: int = 4, **settings: Any) -> Season:
        wanted = {"name": "Autumn 2026", "kind": "chinese_ten", "options": {"packs": 1}, "round_seconds": 60} | settings
        with clock.at(BEGIN):
            season = seasons.create_season(league=league, **wanted)
            for player in bots[:entrants]:
                seasons.join(season=season, player=player)
            return seasons.start(season=season, seed=SEED)

    return start


def play(game: Game, chooser: random.Random) -> None:
    """Play `game` to its end by random moves, as a runner does: one append."""
    step = table.begin(game)
    fold, dealer = step.fold, SeedDealer(bytes(game.deal.seed))
    while fold.outcome() is None:
        seat = fold.to_act()[0]
        action = chooser.choice(fold.rules.legal_actions(fold.state, seat))
        step.take(fold.rules.decide(fold.state, seat, action, dealer), clock.now())
    table.store([step], clock.now())


def play_all(seed: int = 0) -> int:
    """Play every game that is on, in an order of no meaning; how many they were."""
    chooser = random.Random(seed)
    games = list(Game.objects.filter(status=Game.Status.PLAYING).order_by("pk"))
    chooser.shuffle(games)
    for game in games:
        play(game, chooser)
    return len(games)


def play_season(season: Season) -> Season:
    """Let the league run until the season is finished, on a clock that goes on by a minute from step to step."""
    moment = BEGIN
    for turn in range(500):
        with clock.at(moment):
            director.advance()
            play_all(turn)
        season.refresh_from_db()
        if season.status == Season.Status.FINISHED:
            return season
        moment += timedelta(minutes=1)
    raise AssertionError("The season does not end.")
