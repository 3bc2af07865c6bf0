"""The kit's client (`scorebook_games.bots.sdk.remote`) and the one in JavaScript, with a server that answers by a
script."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from scorebook_games.bots.sdk import remote
from scorebook_games.bots.sdk.remote import Lot, Remote, Server, ServerRefusal

EXAMPLES = Path(remote.__file__).parent / "examples"
HELLO = {"type": "hello", "protocol": 1, "kind": "chinese_ten", "seat": 0, "seats": 2, "options": {}, "pace": "turns"}
HELLO |= {"rules_version": 1, "clock": {"move_ms": 30_000, "bank_ms": 0}, "seed": 7}
MOVE = {"type": "move", "version": 2, "events": [], "observation": {}, "legal": ["capture 6 4"], "clock_ms": 30_000}
LAST_LINE = {"type": "over", "version": 3, "outcome": None, "events": []}
CLIENTS = ("python", "javascript")


class ScriptedWeb(ThreadingHTTPServer):
    """A server with one bot, Puffin, that has two games. It has lost its seat in one of them, LOST. The other, GOES_ON,
    has begun, asks for one move, and ends once Puffin has moved and has asked for LOST again."""

    def __init__(self, *, bot: bool = True) -> None:
        super().__init__(("127.0.0.1", 0), ScriptedAnswers)
        self.bot = bot
        self.posted: list[str] = []
        self.lost_asked = 0
        self.moved, self.lost_asked_again, self.done = threading.Event(), threading.Event(), threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def games(self) -> list[dict[str, Any]]:
        player = {"type": "player", "name": "Puffin", "bot": self.bot}
        return [player, *({"type": "game", "game": game} for game in ("LOST", "GOES_ON"))]


class ScriptedAnswers(BaseHTTPRequestHandler):
    """Answers one request by the script of its `ScriptedWeb`."""

    server: ScriptedWeb

    def do_GET(self) -> None:
        web, path = self.server, self.path.removeprefix("/api/v1/").partition("?")[0]
        if path == "me/games/events/" and "ndjson" in self.headers["Accept"]:
            self.stream(*web.games())
        elif path == "me/games/events/":
            self.answer(200, {"lines": web.games()})
        elif path == "remote-bots/":
            self.answer(200, [{"id": 7, "name": "Puffin"}])
        elif path == "games/LOST/asks/":
            web.lost_asked += 1
            if web.lost_asked > 1:
                web.lost_asked_again.set()
                web.done.wait()
            self.refuse(403, "not_your_seat")
        else:
            self.stream(HELLO, MOVE)
            web.moved.wait()
            web.lost_asked_again.wait()
            self.write(LAST_LINE)
            web.done.set()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        path = self.path.removeprefix("/api/v1/")
        self.server.posted.append(path)
        if path.endswith("/ready/"):
            self.refuse(409, "started")
            return
        self.answer(201, {"id": "GOES_ON"})
        if path.endswith("/moves/"):
            self.server.moved.set()

    def stream(self, *lines: Mapping[str, Any]) -> None:
        self.send_response(200)
        self.end_headers()
        for line in lines:
            self.write(line)

    def write(self, line: Mapping[str, Any]) -> None:
        self.wfile.write(json.dumps(line).encode() + b"\n")

    def refuse(self, status: int, code: str) -> None:
        self.answer(status, {"error": {"status": status, "code": code, "sentence": "No."}})

    def answer(self, status: int, data: Any) -> None:
        body = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: Any) -> None:
        """Keep standard error for the clients."""


@contextmanager
def scripted_web(*, bot: bool = True) -> Iterator[ScriptedWeb]:
    """Yield a server that listens within the block."""
    with ScriptedWeb(bot=bot) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        try:
            yield web
        finally:
            for event in (web.moved, web.lost_asked_again, web.done):
                event.set()
            web.shutdown()


def run_client(client: str, web: ScriptedWeb, capfd: pytest.CaptureFixture[str], *, challenge: bool) -> tuple[int, str]:
    """Run a client until one more game than LOST is over, and return its exit code and what it told its author."""
    if client == "python":
        command = [str(EXAMPLES / "random_bot.py"), "--server", web.address, "--token", "sb_x", "--games", "2"]
        code = remote.main([*command, "--challenge", "chinese_ten"] if challenge else command)
        return code, capfd.readouterr().err
    node = shutil.which("node")
    assert node, "The examples in JavaScript need Node."
    command = [node, str(EXAMPLES / "remote_bot.mjs"), web.address, *(["chinese_ten"] if challenge else [])]
    env = {"SCOREBOOK_TOKEN": "sb_x", "PATH": os.environ["PATH"]}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_checks_in_for_every_game_and_a_lost_seat_ends_only_its_game(
    client: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A game of a season begins with a check-in, on each pace. That a game has already begun is not worth a line."""
    with scripted_web() as web:
        code, told = run_client(client, web, capfd, challenge=True)
    assert (code, web.posted) == (0, ["remote-bots/7/games/", "games/GOES_ON/ready/", "games/GOES_ON/moves/"]), told
    assert "not_your_seat" in told
    assert "started" not in told


@pytest.mark.parametrize("challenge", [True, False], ids=["challenge", "play"])
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_does_not_play_in_the_seat_of_a_person(
    client: str, challenge: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    with scripted_web(bot=False) as web:
        code, told = run_client(client, web, capfd, challenge=challenge)
    assert (code, web.posted, web.lost_asked) == (1, [], 0)
    assert "This is not the token of a bot." in told


class RefusingServer(Server):
    """A server that answers one request after another with these errors, then with the last one for ever."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__("http://127.0.0.1:9", "secret")
        self.errors = list(errors)

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        del path, body
        raise self.errors.pop(0) if len(self.errors) > 1 else self.errors[0]


@pytest.mark.parametrize(
    ("errors", "pauses", "raised"),
    [
        ([ServerRefusal(429, {"code": "too_many"})], [1, 2], (429, "too_many")),
        (
            [ServerRefusal(429, {"code": "too_soon", "wait_ms": 40})],
            [0.04, 0.04],
            (429, "too_soon"),
        ),
        ([ConnectionRefusedError(), ServerRefusal(503, {"code": "down"})], [1, 2], (503, "down")),
        ([ConnectionRefusedError()], [1, 2], (503, "unreachable")),
        ([OSError(), ServerRefusal(409, {"code": "stale_version"})], [1], (409, "stale_version")),
    ],
    ids=lambda case: case[1] if isinstance(case, tuple) else "",
)
def test_a_request_that_is_refused_to_the_end_raises_the_last_refusal(
    errors: list[Exception], pauses: list[float], raised: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits between two tries, and not after the last one."""
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    with pytest.raises(ServerRefusal) as refused:
        RefusingServer(*errors).insist("games/K7Q2/moves/", {"move": "take"}, (1, 2))
    assert (refused.value.status, refused.value.code) == raised
    assert waited == pauses


class PalaceOnly(Lot):
    """A bot that says that it plays another kind."""

    kinds = ("palace",)


def test_a_bot_that_does_not_play_the_kind_does_not_wait_for_its_clock(capfd: pytest.CaptureFixture[str]) -> None:
    with scripted_web() as web:
        Remote(Server(web.address, "sb_x"), PalaceOnly).run(games=2)
    assert "games/GOES_ON/moves/" in web.posted
    told = capfd.readouterr().err
    assert "it does not play this kind" in told
    assert "a random legal move is played instead" in told


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
