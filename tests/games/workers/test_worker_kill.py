"""A worker is killed or suspended in the middle of a game. The workers, beat and the queue are real.

Built-in bots are slowed down (by the term `bot_pace_ms`), so that a game lasts long enough.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from config.broker.pgmq_schema import install_queue
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from games.workers import runner
from games.workers.models import Worker
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from tests.games.conftest import BuiltInBot
from tests.servers.database_url import database_url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker]

LEASE_SECONDS = 8  # on a busy machine a live worker may be silent for some seconds
PATIENCE_SECONDS = 90
SEED = bytes(range(32))


class Parts:
    """The processes of one test: workers and beat, each in a separate process group, with their output."""

    def __init__(self, folder: Path, lease_seconds: int = LEASE_SECONDS) -> None:
        self.folder = folder
        self.running: list[subprocess.Popen[bytes]] = []
        self.environment = {
            **os.environ,
            "SCOREBOOK_DEBUG": "1",
            "DATABASE_URL": database_url(connection.settings_dict),
            "SCOREBOOK_LEASE_SECONDS": str(lease_seconds),
        }
        for name in ("DATABASE_APP_URL", "CELERY_BROKER_URL"):
            self.environment.pop(name, None)

    def start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        with self.output(name).open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "config.celery", *arguments],
                cwd=settings.BASE_DIR,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.running.append(process)
        return process

    def worker(self, name: str, *more: str) -> subprocess.Popen[bytes]:
        queues = ["--queues", "play,short", "--concurrency", "1", "--prefetch-multiplier", "1"]
        return self.start(name, "worker", "--hostname", f"{name}@here", "--loglevel", "INFO", *queues, *more)

    def beat(self) -> subprocess.Popen[bytes]:
        return self.start("beat", "beat", *self.schedule())

    def worker_with_beat(self, name: str) -> subprocess.Popen[bytes]:
        """Start a worker with beat in a process that it forks, which costs half as much as to start both."""
        return self.worker(name, "--beat", *self.schedule())

    def schedule(self) -> list[str]:
        return ["--schedule", str(self.folder / "schedule")]

    def output(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def stop(self) -> None:
        for process in self.running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    install_queue()
    with ExitStack() as stack:
        parts = Parts(tmp_path)
        stack.callback(drop_queues)  # pytest-django does not empty them
        stack.callback(parts.stop)
        yield parts


@pytest.fixture
def beat(parts: Parts) -> None:
    parts.beat()


def drop_queues() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pgmq.drop_queue(queue_name) FROM pgmq.meta")


@pytest.fixture
def players(built_in: BuiltInBot) -> list[Player]:
    return [built_in("sensible"), built_in("random"), built_in("sensible")]


def open_game(players: list[Player], bot_pace_ms: int = 60) -> Game:
    """Open a game of Chinese Ten with the same seed each time."""
    deal = Deal.objects.create(seed=SEED)
    return play.open_game(kind="chinese_ten", players=players, deal=deal, terms={"bot_pace_ms": bot_pace_ms})


def undisturbed(players: list[Player]) -> list[Event]:
    """Return the rule events of this game when nothing happens to its worker."""
    game = open_game(players, bot_pace_ms=0)
    assert runner.play_due_games("undisturbed") == 1
    return rule_events(game)


def rule_events(game: Game) -> list[Event]:
    return [event for event in events_of(game) if not ev.is_table_event(event)]


def events_of(game: Game) -> list[Event]:
    return [entry.event for entry in eventlog.read_events(game.stream_id)]


def wait_until(true: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until, f"{what} does not happen."
        time.sleep(0.05)


def reaches(game: Game, version: int) -> Callable[[], bool]:
    return lambda: Game.objects.filter(pk=game.pk, version__gte=version).exists()


def is_over(game: Game) -> Callable[[], bool]:
    return lambda: Game.objects.filter(pk=game.pk, status=Game.Status.FINISHED).exists()


def player_of(game: Game) -> int:
    """Return the pid of the process that plays the game now."""
    return int(Game.objects.get(pk=game.pk).leased_by.rpartition(":")[2])


@pytest.mark.slow
@pytest.mark.usefixtures("beat")
def test_a_game_whose_worker_is_killed_again_and_again_ends_as_it_would_have(
    parts: Parts, players: list[Player]
) -> None:
    expected = undisturbed(players)
    game = open_game(players)
    for number, version in enumerate((game.version + 5, game.version + 20), 1):
        worker = parts.worker(f"worker{number}")
        wait_until(reaches(game, version), f"Event {version}")
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
        assert not is_over(game)()
    parts.worker("last")
    wait_until(is_over(game), "The end")

    assert rule_events(game) == expected
    attempts = [event for event in events_of(game) if event[0] == ev.ATTEMPT]
    assert attempts == [[ev.ATTEMPT, 2, "worker_lost"], [ev.ATTEMPT, 3, "worker_lost"]]
    lost = Incident.objects.filter(game=game, cause=Incident.Cause.WORKER_LOST)
    sentences = [incident.sentence for incident in lost]
    assert len(sentences) == 2
    assert all(f"of game {game.public_id}, when seat" in sentence for sentence in sentences)


@pytest.mark.slow
def test_a_game_is_played_on_when_only_the_process_that_plays_it_is_killed(parts: Parts, players: list[Player]) -> None:
    expected = undisturbed(players)
    game = open_game(players)
    parts.worker_with_beat("worker")
    wait_until(reaches(game, game.version + 5), "The first moves")
    os.kill(player_of(game), signal.SIGKILL)
    wait_until(is_over(game), "The end")

    assert rule_events(game) == expected
    assert Game.objects.get(pk=game.pk).attempt == 2


@pytest.mark.slow
@pytest.mark.usefixtures("beat")
def test_a_worker_that_is_asked_to_end_gives_its_game_back_and_nothing_is_lost(
    parts: Parts, players: list[Player]
) -> None:
    expected = undisturbed(players)
    game = open_game(players)
    worker = parts.worker("worker")
    wait_until(reaches(game, game.version + 5), "The first moves")
    os.kill(worker.pid, signal.SIGTERM)
    worker.wait(timeout=PATIENCE_SECONDS)
    game.refresh_from_db()
    assert (game.status, game.leased_until) == (Game.Status.PLAYING, None)
    runner.play_due_games("another", PATIENCE_SECONDS)

    assert rule_events(game) == expected
    assert not [event for event in events_of(game) if event[0] == ev.ATTEMPT]
    assert not Incident.objects.exists()


@pytest.mark.slow
@pytest.mark.usefixtures("beat")
def test_a_worker_that_is_stopped_past_its_lease_and_wakes_changes_nothing(parts: Parts, players: list[Player]) -> None:
    expected = undisturbed(players)
    game = open_game(players)
    stalled = parts.worker("stalled")
    wait_until(reaches(game, game.version + 5), "The first moves")
    name = Game.objects.get(pk=game.pk).leased_by
    os.killpg(stalled.pid, signal.SIGSTOP)
    parts.worker("other")
    wait_until(is_over(game), "The end")
    over = Game.objects.filter(pk=game.pk).values().get()
    batches = eventlog.stored_batches(game.stream_id)

    os.killpg(stalled.pid, signal.SIGCONT)
    wait_until(lambda: "lease_lost" in parts.output("stalled").read_text(), "The stalled worker's awakening")
    heard = Worker.objects.get(name=name).heartbeat_at
    wait_until(lambda: Worker.objects.get(name=name).heartbeat_at > heard, "The stalled worker's next life sign")

    assert eventlog.stored_batches(game.stream_id) == batches
    assert Game.objects.filter(pk=game.pk).values().get() == over
    assert rule_events(game) == expected
    assert over["attempt"] == 2
