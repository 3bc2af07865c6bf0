"""The kit's client (`scorebook_games.bots.sdk.remote`) without a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from scorebook_games.bots.sdk.remote import Lot, Remote, Server


class GoneServer(Server):
    """A server that reports one game, which ends at once, and that does not answer after `gone` is set."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:9", "secret")
        self.gone = threading.Event()

    def lines(self, path: str) -> Iterator[dict[str, Any]]:
        if path != "me/games/events/":
            yield {"type": "over", "version": 1, "results": [1, 0], "events": []}
            return
        yield {"type": "game", "game": "K7Q2"}
        self.gone.wait()
        raise ConnectionRefusedError


def test_a_client_that_has_played_its_games_stops_listening(capfd: pytest.CaptureFixture[str]) -> None:
    server = GoneServer()
    before = set(threading.enumerate())
    Remote(server, Lot).run(games=1)
    server.gone.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert "opened again" not in capfd.readouterr().err
