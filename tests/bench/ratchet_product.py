"""The rows of `tests.bench.ratchet` that need the product: a database, a small league, a game of two people."""

from __future__ import annotations

import cProfile
import logging
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_AS_OWNER", "1")
os.environ.setdefault("SCOREBOOK_RATE_LIMIT_FACTOR", "0")
os.environ.setdefault("SCOREBOOK_DEBUG", "1")  # static files are not collected

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from games.models import Deal, Game, Player  # noqa: E402
from games.play import services as play_services  # noqa: E402
from games.workers import runner  # noqa: E402
from replays.dataset.export import write_dataset  # noqa: E402
from tests.bench import log  # noqa: E402
from tests.bench.pages import worked  # noqa: E402
from tests.bench.play import own_database, whole_path  # noqa: E402
from tests.bench.ratchet import ROUNDS, calls  # noqa: E402
from tournaments.director import director  # noqa: E402
from tournaments.maintenance import demo  # noqa: E402
from tournaments.maintenance.rebuild import find_differences  # noqa: E402
from tournaments.seasons.models import Season  # noqa: E402

MOVES: Final = 12  # of the game of two people
HOST: Final = {"host": "localhost"}
GAMES: Final = 40  # of built-in bots
SEED: Final = bytes(32)  # of the cards of two people


def busy() -> float:
    """Return the CPU seconds of this process and of its database connection."""
    connection.ensure_connection()
    return worked(connection.connection.info.backend_pid) / 1000


def beside(ours: Callable[[], object], other: Callable[[], object]) -> float:
    """Return what one way costs as a multiple of another."""
    ours(), other()
    costs, others = [], []
    for _ in range(ROUNDS):
        began = busy()
        ours()
        between = busy()
        other()
        costs.append(between - began)
        others.append(busy() - between)
    return min(costs) / min(others)


def product() -> Iterator[tuple[str, float]]:
    """Yield all rows."""
    logging.disable(logging.ERROR)
    settings.DEBUG = False  # Django keeps no list of all queries
    with own_database():
        yield from stored()
        yield from whole_games()
        for _ in demo.build_demo(watchable=False):
            pass
        director.advance()
        runner.play_due_games("bench", budget_seconds=600)
        director.advance()
        yield from moves()
        yield from pages()
        yield from bulk()


def stored() -> Iterator[tuple[str, float]]:
    """Yield the rows of the event log."""
    fresh = log.stock()
    one = [["placed", 1, [17, 19], [], 0], ["cleared", 1, 7]]
    yield "a batch appended, of a bare INSERT", beside(*log.appends(one, fresh))
    games = log.bot_games("chinese_ten", 2, log.GAMES)
    yield f"{log.GAMES} logs appended, of a COPY", beside(*log.many(games, fresh))
    yield "an event on disk, bytes", log.bytes_an_event(games, fresh)


def whole_games() -> Iterator[tuple[str, float]]:
    """Yield what games of built-in bots cost, from their opening to their end."""
    for bot in ("random", "sensible"):

        def played(bot: str = bot) -> int:
            return len(whole_path("chinese_ten", bot, GAMES)[0])

        yield f"a game of the bots {bot}, calls", calls(played)


def asked(client: Client, address: str) -> Callable[[], int]:
    """Return a function that requests a page once."""

    def ask() -> int:
        answer = client.get(address)
        assert answer.status_code == 200, f"{address}: {answer.status_code}"
        answer.getvalue() if answer.streaming else answer.content
        return 1

    return ask


def counted(work: Callable[[], Any]) -> tuple[int, int]:
    """Return how many queries it takes, and how many of them read events of a log."""
    with CaptureQueriesContext(connection) as seen:
        work()
    return len(seen.captured_queries), readings_in(seen)


def readings_in(seen: CaptureQueriesContext) -> int:
    """Return how many of the queries read events of a log."""
    return sum("SELECT" in query["sql"] and re.search(r"FROM \"?batch\b", query["sql"]) is not None for query in seen)


def people() -> tuple[list[Client], Game]:
    """Return two people's browsers and the game that they play."""
    players, clients = [], []
    for name in ("bench1", "bench2"):
        user = User.objects.create_user(name)
        players.append(Player.objects.create(name=name, user=user))
        clients.append(Client(headers=HOST))
        clients[-1].force_login(user)
    deal = Deal.objects.create(seed=SEED)
    [game] = play_services.open_many([play_services.Opening("chinese_ten", players, deal=deal)])
    return clients, game


def moves() -> Iterator[tuple[str, float]]:
    """Yield what a move takes, and what a watcher's reading of it takes."""
    clients, game = people()
    address = f"/api/v1/games/{game.public_id}/"
    queries, readings, called = [], [], []

    def move() -> None:
        for client in clients:
            turn = client.get(f"{address}turn/").json()
            if turn["may_act"]:
                body = {"move": turn["legal"][0]["move"], "expected_version": turn["version"]}
                profile = cProfile.Profile()
                with CaptureQueriesContext(connection) as seen, profile:
                    answer = client.post(f"{address}moves/", body, content_type="application/json")
                assert answer.status_code in (200, 201), answer.content
                called.append(sum(each.callcount for each in profile.getstats()))
                queries.append(len(seen.captured_queries))
                readings.append(readings_in(seen))
                return
        raise AssertionError("The game is over.")

    for _ in range(MOVES):
        move()
    yield "a move, calls", median(called)
    yield "a move, queries", median(queries)
    yield "a move, readings of its log", median(readings)
    yield "the latest event in the replay, queries", counted(asked(clients[0], f"{address}replay/?since=1"))[0]


def pages() -> Iterator[tuple[str, float]]:
    """Yield what pages take that were shown before, and what they take the first time, in queries."""
    nobody = Client(headers=HOST)
    season = Season.objects.filter(kind="chinese_ten")[0]
    game = Game.objects.filter(status="finished").latest("pk")
    names = {
        "the front page": "/",
        "a season": f"/clubs/{season.path}/",
        "its standings": f"/clubs/{season.path}/standings/",
        "a club": f"/clubs/{season.league.club.slug}/",
        "a finished game": f"/games/{game.public_id}/",
        "the API's games": "/api/v1/games/",
    }
    for name, address in names.items():
        ask = asked(nobody, address)
        yield f"{name}, the first time, queries", counted(ask)[0]
        yield f"{name}, again, queries", counted(ask)[0]
        yield f"{name}, again, calls", calls(ask)


def bulk() -> Iterator[tuple[str, float]]:
    """Yield what work on all games takes for each game."""
    count = Game.objects.filter(status="finished").count()

    def compared() -> int:
        assert not list(find_differences())
        return count

    def exported() -> int:
        with tempfile.TemporaryDirectory() as folder:
            return write_dataset(Path(folder) / "games.parquet").games

    yield "rebuild, a game, calls", calls(compared)
    yield "the dataset, a game, calls", calls(exported)
