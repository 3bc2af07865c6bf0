"""A web process that is stopped reports it, finishes its requests, and lets watchers reconnect elsewhere."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured

from config.http import shutdown
from games.models import Deal, Game, Player
from games.play import services as play
from tests.replays.stream.test_stream import STREAM
from tests.servers.web import WAIT_TIMEOUT, ForkedWeb, forked_web

served = pytest.mark.django_db(transaction=True)


@pytest.fixture
def web(db: None) -> Iterator[ForkedWeb]:
    """Run a web process that continues for a minute after the first signal, or until a second one."""
    with forked_web(drain_seconds=60) as started:
        yield started


@pytest.fixture
def game(martha: Player, laura: Player) -> Game:
    return play.open_game(kind="chinese_ten", players=[martha, laura], deal=Deal.objects.create(seed=bytes(range(32))))


def half_a_request(web: ForkedWeb) -> socket.socket:
    """Send a request with half of its body."""
    sent = socket.create_connection(("127.0.0.1", web.port), timeout=WAIT_TIMEOUT)
    head = ["POST /api/v1/games/ HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", "Content-Length: 20"]
    sent.sendall("\r\n".join([*head, "", '{"kind": "']).encode())
    return sent


@served
def test_a_process_that_is_told_to_end_ends_in_good_order(web: ForkedWeb, game: Game) -> None:
    begun, pid = half_a_request(web), web.process.pid
    assert pid
    address = f"{web.address}/api/v1/games/{game.public_id}/events/"
    with httpx.Client(timeout=WAIT_TIMEOUT) as asks:
        assert asks.get(f"{web.address}/health/ready/").status_code == 200
        with httpx.stream("GET", address, headers={"Accept": STREAM}, timeout=WAIT_TIMEOUT) as watched:
            lines = watched.iter_lines()
            assert next(lines) == "event: game"
            os.kill(pid, signal.SIGTERM)
            rest = list(lines)  # until the stream ends
        hints = [int(each.removeprefix("retry: ")) for each in rest if each.startswith("retry: ")]
        assert len(hints) == 1
        assert 500 <= hints[0] <= 2500
        found = asks.get(f"{web.address}/health/ready/")  # on the open connection, which still accepts requests
        assert (found.status_code, found.json()["error"]["code"]) == (503, "ending")
        assert asks.get(f"{web.address}/health/live/").status_code == 200
    os.kill(pid, signal.SIGTERM)
    begun.sendall(b'chess"    }')
    assert begun.recv(64).startswith(b"HTTP/1.1 4")  # the whole request was read and refused
    begun.close()
    web.process.join(WAIT_TIMEOUT)
    assert web.process.exitcode in (0, -signal.SIGTERM)


@pytest.mark.parametrize(("given", "meant"), [("", 0), ("0", 0), ("2.5", 2.5), ("600", 600)])
def test_how_long_it_goes_on_is_said_in_seconds(monkeypatch: pytest.MonkeyPatch, given: str, meant: float) -> None:
    monkeypatch.setenv(shutdown.DRAIN_VARIABLE, given)
    assert shutdown.drain_seconds() == meant


@pytest.mark.parametrize("given", ["-1", "soon", "601", "nan"])
def test_what_is_no_such_time_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv(shutdown.DRAIN_VARIABLE, given)
    with pytest.raises(ImproperlyConfigured, match="number of seconds from 0 to 600"):
        shutdown.drain_seconds()
