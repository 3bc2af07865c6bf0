"""The command that a supervisor calls says by an exit code and a sentence whether a part works."""

from __future__ import annotations

import os
import socket
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection

from config.broker.ticks import TICKED
from config.monitoring import healthcheck
from games.common import clock
from games.workers.models import Worker
from tests.servers.database_url import database_url
from tests.servers.web import Web, free_port

committed = pytest.mark.django_db(transaction=True)


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = healthcheck.main(arguments)
    return code, capsys.readouterr().out.strip()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return this machine's name, and let the command use the test's database."""
    monkeypatch.setenv("DATABASE_APP_URL", database_url(connection.settings_dict))
    return socket.gethostname()


@committed
def test_a_machine_whose_worker_gave_a_sign_of_life_is_healthy(here: str, capsys: pytest.CaptureFixture[str]) -> None:
    now = clock.now()
    Worker.objects.create(name=f"{here}:7", started_at=now, heartbeat_at=now)
    assert asked(capsys, "worker") == (0, "1 alive")


@committed
@pytest.mark.parametrize("state", ["none", "silent", "stopped", "another's"])
def test_one_whose_workers_are_silent_is_not(here: str, state: str, capsys: pytest.CaptureFixture[str]) -> None:
    now = clock.now()
    if state != "none":
        heard = now - timedelta(seconds=31) if state == "silent" else now
        name = f"{here}2:7" if state == "another's" else f"{here}:7"
        Worker.objects.create(
            name=name, started_at=heard, heartbeat_at=heard, stopped_at=now if state == "stopped" else None
        )
    assert asked(capsys, "worker") == (1, f"No worker on {here} has reported for 30 s.")


def test_a_worker_without_its_database_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_APP_URL", f"postgresql://u:hush@127.0.0.1:{free_port()}/club")
    code, words = asked(capsys, "worker")
    assert code == 1
    assert words.startswith("The database does not answer")
    assert "hush" not in words


@committed
def test_a_web_process_is_asked_whether_it_is_ready_by_a_name_that_it_serves(
    web: Web, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nobodys = free_port()
    code, words = asked(capsys, "web", str(nobodys))
    assert code == 1
    assert words.startswith(f"Nothing answers at port {nobodys}")
    monkeypatch.setenv("SCOREBOOK_ALLOWED_HOSTS", "127.0.0.1,club.example")  # the web process serves the first one
    assert asked(capsys, "web", str(web.port)) == (0, "ready")
    monkeypatch.setenv("SCOREBOOK_ALLOWED_HOSTS", "another.example")
    assert asked(capsys, "web", str(web.port)) == (1, "The web process answers 400.")


def test_beat_is_known_by_the_file_that_it_touches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schedule = str(tmp_path / "schedule")
    assert asked(capsys, "beat", schedule)[0] == 1
    ticked = Path(schedule + TICKED)
    ticked.touch()
    assert asked(capsys, "beat", schedule) == (0, "ticking")
    long_ago = time.time() - 40
    os.utime(ticked, (long_ago, long_ago))
    assert asked(capsys, "beat", schedule) == (1, "Beat has done nothing for 40 s.")


@pytest.mark.parametrize("arguments", [(), ("database",), ("web", "eighty"), ("beat",)])
def test_who_asks_for_something_else_is_told_what_there_is(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, words = asked(capsys, *arguments)
    assert code == 2
    assert "web|worker|beat" in words
