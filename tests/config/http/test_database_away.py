"""While the database restarts, the web process, a worker and streams report it, and recover by themselves afterwards.

The tests close all connections and allow no new ones. For clients this is the same as a restart.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime
from typing import Any

import httpx
import psycopg
import pytest
from django.db import Error, connection
from django.test import Client
from psycopg import sql
from pytest_django import Settings

from games import sandbox
from games.bots import time_slices
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import Game
from games.play import services as play
from games.play import unit_of_work
from games.workers import leases, runner
from games.workers.models import Worker
from scorebook_games.gamelog import visibility
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.replays.stream.test_stream import STREAM
from tests.servers.database_url import database_url
from tests.servers.web import WAIT_TIMEOUT, Web

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]  # they wait for the database


@contextmanager
def away() -> Iterator[None]:
    """Make the database unreachable within the block."""
    here = connection.settings_dict
    name = sql.Identifier(here["NAME"])
    with closing(psycopg.connect(database_url({**here, "NAME": "postgres"}), autocommit=True)) as server:
        server.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        try:
            ours = (
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND usename = current_user"
            )
            server.execute(ours, [here["NAME"]])
            yield
        finally:
            server.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(name))
            connection.close()


def error_of(answer: Any) -> tuple[int, str]:
    error = answer.json()["error"]
    assert error["sentence"].endswith(".")
    return answer.status_code, error["code"]


def test_requests_are_told_to_come_again_and_are_answered_as_soon_as_it_is_back(client: Client, game: Game) -> None:
    client.raise_request_exception = False
    address = f"/api/v1/games/{game.public_id}/"
    assert client.get(address).status_code == 200
    with away():
        for _ in range(2):  # first with the broken connection, then without a connection
            answer = client.get(address)
            assert error_of(answer) == (503, "database_away")
        assert error_of(client.get("/health/ready/")) == (503, "database_unreachable")
        assert client.get("/health/live/").status_code == 200
        assert client.get("/clubs/").status_code == 503
    assert client.get(address).status_code == 200
    assert client.get("/health/ready/").status_code == 200


def test_a_worker_in_the_midst_of_a_game_plays_it_on_and_nobody_takes_it_for_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bots = ensure_builtin_bots()
    game = play.open_game(kind="chinese_ten", players=[bots["random"], bots["sensible"]])
    store = unit_of_work.commit
    with ExitStack() as server, monkeypatch.context() as patch:

        def goes_away(units: Sequence[unit_of_work.GameUnit], at: datetime) -> None:
            server.enter_context(away())
            store(units, at)

        patch.setattr(unit_of_work, "commit", goes_away)
        with pytest.raises(Error):
            runner.play_due_games("one")
    game.refresh_from_db()
    assert (game.status, game.leased_by) == ("playing", "one")
    with leases.heartbeat_of("one"):  # the next sign of life releases the lease that the worker could not release
        game.refresh_from_db()
        assert (game.leased_by, game.leased_until, game.failures) == ("", None, 0)
    assert runner.play_due_games("two") == 1
    assert not Incident.objects.exists()


@pytest.mark.slow
def test_a_worker_that_starts_meanwhile_reports_as_soon_as_the_server_is_back(settings: Settings) -> None:
    settings.SCOREBOOK_LEASE_SECONDS = 1
    with ExitStack() as life:
        with away():
            pulse = life.enter_context(leases.heartbeat_of("one", ["sandbox"]))
            time_slices.record_tier(pulse)
        until = time.monotonic() + WAIT_TIMEOUT
        found = Worker.objects.filter(name="one", queues=["sandbox"], tier=sandbox.tier().name, stopped_at=None)
        while not found.exists():
            assert time.monotonic() < until
            time.sleep(0.05)


def test_who_watches_a_game_misses_nothing(web: Web, game: Game) -> None:
    """A watcher uses the open stream, or reconnects and continues where it ended, as browsers do."""
    versions: list[int] = []
    begun = threading.Event()

    def watch(address: str) -> None:
        last = ""
        while True:
            headers = {"Accept": STREAM, **({"Last-Event-ID": last} if last else {})}
            with httpx.stream("GET", address, headers=headers, timeout=WAIT_TIMEOUT) as response:
                for line in response.iter_lines():
                    begun.set()
                    last = line.removeprefix("id: ") if line.startswith("id: ") else last
                    data = json.loads(line[6:]) if line.startswith("data: {") else {}
                    if data.get("type") == "event":
                        versions.append(data["version"])
                        if data["version"] >= 8:
                            return

    watching = threading.Thread(
        target=watch, args=[f"{web.address}/api/v1/games/{game.public_id}/events/"], daemon=True
    )
    watching.start()
    assert begun.wait(WAIT_TIMEOUT)
    with away(), httpx.Client(timeout=WAIT_TIMEOUT) as asks:
        assert asks.get(f"{web.address}/health/ready/").status_code == 503
    while (fold := play.load_game(game)).to_act() and fold.version < 10:
        seat = fold.to_act()[0]
        play.play_move(game=game, seat=seat, text=visibility.legal_moves(fold, seat)[0], expected_version=fold.version)
    watching.join(WAIT_TIMEOUT)
    assert not watching.is_alive()
    stored = [entry.version for entry in eventlog.read_events(game.stream_id)]
    assert versions == [version for version in stored if versions[0] <= version <= versions[-1]]
