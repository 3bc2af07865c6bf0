"""Uploading a bot to a real HTTP server that answers as the API does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from scorebook_games.cli import upload as uploading
from scorebook_games.cli.command import main
from scorebook_games.cli.upload import Unanswered, UploadRefused, progress, upload
from tests.scorebook_games.cli.conftest import BotFile

SOURCE = "class Bot:\n    def move(self, view, legal): return legal[0]  # ♠\r\n--boundary\n".encode()
ADMISSION_URL = "/api/v1/bots/mine/versions/7/admission/"


class Server(ThreadingHTTPServer):
    """A server that accepts bots. `asked` holds the requests, and `admission` its next answers about the admission."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str, str, bytes]] = []
        self.status = 201
        self.made: Any = {"number": 7, "admission": ADMISSION_URL, "page": "/bots/mine/?admission=7"}
        self.admission: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.location = ""
        self.silent = 0  # requests that get no answer, the connection being closed
        self.retry_after = ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def is_silent(self) -> bool:
        """Return whether this request gets no answer."""
        self.server.silent -= 1
        self.close_connection = True
        return self.server.silent >= 0

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.keys.append(str(self.headers["Idempotency-Key"]))
        if self.is_silent():
            return None
        if self.headers["Content-Type"] == "application/json":
            self.server.asked.append((self.path, str(self.headers["Authorization"]), "", body))
            return self.answer(201, {"name": json.loads(body)["name"]})
        form = message_from_bytes(b"Content-Type: " + self.headers["Content-Type"].encode() + b"\r\n\r\n" + body)
        parts: Any = form.get_payload()
        (part,) = parts
        name = f"{part.get_param('name', header='content-disposition')} {part.get_filename()}"
        content = body.partition(b"\r\n\r\n")[2].rpartition(b"\r\n--")[0]
        self.server.asked.append((self.path, str(self.headers["Authorization"]), name, content))
        return self.answer(self.server.status, self.server.made)

    def do_GET(self) -> None:
        if self.is_silent():
            return
        self.server.asked.append((self.path, str(self.headers["Authorization"]), "", b""))
        self.answer(200, self.server.admission.pop(0))

    def answer(self, status: int, sentence: Any) -> None:
        body = sentence if isinstance(sentence, bytes) else json.dumps(sentence).encode()
        self.send_response(status)
        if self.server.retry_after:
            self.send_header("Retry-After", self.server.retry_after)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield made
        made.shutdown()


def test_the_file_arrives_to_the_byte_with_the_token(server: Server) -> None:
    made = upload(server.address, "mine & more", "secret", SOURCE)
    page = f"{server.address}/bots/mine/?admission=7"
    assert made == {"number": 7, "admission": server.address + ADMISSION_URL, "page": page}
    assert server.asked == [
        ("/api/v1/bots/mine%20%26%20more/versions/", "Bearer secret", "file bot.py", SOURCE),
    ]


def test_admission_is_asked_until_it_is_done(server: Server) -> None:
    server.admission = [{"state": "waiting"}, {"state": "running"}, {"state": "passed"}]
    pauses: list[float] = []
    sentence = list(progress(server.address + ADMISSION_URL, "secret", pauses.append))
    assert [each["state"] for each in sentence] == ["waiting", "running", "passed"]
    assert len(pauses) == 2
    assert {asked[1] for asked in server.asked} == {"Bearer secret"}


def test_a_new_bot_is_made_before_its_file_is_sent_if_that_is_asked_for(
    server: Server, bot_file: BotFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOREBOOK_TOKEN", "from outside")
    server.admission = [{"state": "passed"}, {"state": "passed"}]
    command = ["upload", str(bot_file(move="return legal[0]")), "--name", "mine & more", "--server", server.address]
    assert main([*command, "--new"]) == 0
    assert main(command) == 0
    made, *others = [(path, content) for path, _token, _name, content in server.asked if "admission" not in path]
    assert (made[0], json.loads(made[1])) == ("/api/v1/bots/", {"name": "mine & more"})
    assert [path for path, _content in others] == ["/api/v1/bots/mine%20%26%20more/versions/"] * 2


def test_the_command_prints_each_step_once_and_how_it_ended(
    server: Server, bot_file: BotFile, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "POLL_SECONDS", 0)
    monkeypatch.setenv("SCOREBOOK_TOKEN", "from outside")
    file = str(bot_file(move="return legal[0]"))
    read = {"name": "read", "state": "done", "sentence": "One text file."}
    game = {"name": "game/palace/strong", "kind": "palace", "bot": "strong"}
    after = {**game, "bot": "random", "state": "wait", "sentence": "After that."}
    wrong = "The bot answered lay K."
    server.admission = [
        {"state": "running", "steps": [read, {**game, "state": "live", "sentence": "37 events so far."}, after]},
        {"state": "running", "steps": [read, {**game, "state": "done", "sentence": "Lost 3 to 9.", "seconds": 4.2}]},
        {
            "state": "refused",
            "steps": [
                read,
                {**game, "state": "done", "sentence": "Lost 3 to 9.", "seconds": 4.2},
                {**after, "name": "game/palace/random", "state": "fault", "sentence": wrong},
            ],
            "fault": {"stderr": "".join(f"line {n}\n" for n in range(1, 15)), "page": "/faults/7/"},
        },
    ]
    assert main(["upload", file, "--name", "mine", "--server", server.address]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "mine version 7 is in admission.",
        f"{server.address}/bots/mine/?admission=7",
        "  ok    read                             One text file.",
        "  ok    Palace against strong            Lost 3 to 9.  (4.2 s)",
        "  FAIL  Palace against random            The bot answered lay K.",
        "  stderr    [2 lines before]",
        *(f"  stderr    line {n}" for n in range(3, 15)),
        f"  position  {server.address}/faults/7/",
        "The bot is refused.",
        f"{server.address}/bots/mine/?admission=7",
    ]
    assert server.asked[0][1] == "Bearer from outside"
    server.admission = [{"state": "passed", "steps": [], "faults": []}]
    assert main(["upload", file, "--name", "mine", "--server", server.address, "--token", "mine"]) == 0


def test_a_file_that_would_be_refused_is_not_sent(
    server: Server, bot_file: BotFile, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["upload", str(bot_file("")), "--name", "mine", "--server", server.address, "--token", "x"]
    assert main(arguments) == 1
    assert "The file is empty." in capsys.readouterr().err
    assert server.asked == []


@pytest.mark.parametrize(
    ("status", "made", "sentence"),
    [
        (
            429,
            {"error": {"code": "quota", "sentence": "You have uploaded enough today."}},
            "429: You have uploaded enough",
        ),
        (500, b"<html>", "500: it gives no reason."),
        (201, [], "did not answer like a Scorebook server"),
        (201, b"hello", "did not answer like a Scorebook server"),
        (201, {"number": "7", "admission": ADMISSION_URL}, "Is it a Scorebook server?"),
        (201, {"number": 7, "admission": "https://elsewhere.example/"}, "your token is not sent there"),
    ],
)
def test_a_refusal_says_what_the_server_said(server: Server, status: int, made: Any, sentence: str) -> None:
    server.status, server.made = status, made
    with pytest.raises(UploadRefused) as refused:
        upload(server.address, "mine", "secret", SOURCE)
    assert sentence in str(refused.value)


def test_a_redirect_is_not_followed_for_the_token_is_for_one_server(server: Server) -> None:
    with Server() as other:
        server.status, server.location = 302, other.address
        with pytest.raises(UploadRefused, match="The server answers 302"):
            upload(server.address, "mine", "secret", SOURCE)
        assert other.asked == []


@pytest.mark.parametrize("address", ["file:///etc/passwd", "localhost:8000", "ftp://localhost"])
def test_what_is_no_servers_address_is_not_asked(address: str) -> None:
    with pytest.raises(UploadRefused):
        upload(address, "mine", "secret", SOURCE)


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://no-such-server.invalid"])
def test_an_address_at_which_no_server_is_fails_at_once(address: str) -> None:
    pauses: list[float] = []
    with pytest.raises(UploadRefused, match=r"could not be reached: .* Nothing was sent. Check the address"):
        upload(address, "mine", "secret", SOURCE, pauses.append)
    assert pauses == []


def test_a_server_that_stops_answering_is_asked_for_ten_minutes() -> None:
    pauses: list[float] = []
    with pytest.raises(Unanswered, match="could not be reached"):
        upload("http://127.0.0.1:9", "mine", "secret", SOURCE, pauses.append, reached=True)
    assert 500 < sum(pauses) < 700


def test_a_file_whose_answer_was_lost_is_sent_again_under_the_same_key(server: Server) -> None:
    server.silent = 2
    assert upload(server.address, "mine", "secret", SOURCE, lambda _seconds: None)["number"] == 7
    assert len(server.keys) == 3
    assert len(set(server.keys)) == 1


@pytest.mark.parametrize(
    ("silent", "admission", "code"),
    [(2, "passed", 0), (2, "refused", 1), (2, "given_up", 3), (999, "passed", 4)],
    ids=str,
)
def test_an_admission_that_does_not_answer_is_asked_again_and_is_no_refusal(
    server: Server, bot_file: BotFile, monkeypatch: pytest.MonkeyPatch, silent: int, admission: str, code: int
) -> None:
    monkeypatch.setattr(uploading, "PAUSES", (0.0,) * 3)
    file = str(bot_file(move="return legal[0]"))
    server.admission = [{"state": admission}]

    def then_silent(*_given: Any, **_also: Any) -> dict[str, Any]:
        made = upload(*_given, **_also)
        server.silent = silent
        return made

    monkeypatch.setattr("scorebook_games.cli.command.upload", then_silent)
    assert main(["upload", file, "--name", "mine", "--server", server.address, "--token", "x"]) == code


def test_a_request_is_repeated_when_the_server_wants_it_to_be_and_the_author_hears_why(server: Server) -> None:
    server.status, server.made, server.retry_after = 503, {}, "7"
    pauses: list[float] = []
    found: list[str] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        server.retry_after = ""
        if len(pauses) == 2:
            server.status, server.made = 201, {"number": 7, "admission": ADMISSION_URL}

    upload(server.address, "mine", "secret", SOURCE, pause, lambda error, seconds: found.append(f"{error} {seconds}"))
    assert pauses == [7.0, uploading.PAUSES[1]]
    assert [line.split(":")[0] for line in found] == ["The server answers 503"] * 2
    assert found[0].endswith(" 7.0")


@pytest.mark.parametrize(("wait", "raised"), [("5", Unanswered), ("3600", UploadRefused), ("", UploadRefused)])
def test_a_limit_that_lasts_is_a_refusal_and_a_short_one_is_waited_for(
    server: Server, wait: str, raised: type[Exception]
) -> None:
    server.status, server.made, server.retry_after = 429, {}, wait
    with pytest.raises(raised):
        upload(server.address, "mine", "secret", SOURCE, lambda _seconds: None)


def test_a_refusal_has_an_exit_code_of_its_own_and_help_tells_them(
    server: Server, bot_file: BotFile, capsys: pytest.CaptureFixture[str]
) -> None:
    server.status, server.made = 409, {"error": {"code": "same_bytes", "sentence": "These bytes are v1."}}
    file = str(bot_file(move="return legal[0]"))
    assert main(["upload", file, "--name", "mine", "--server", server.address, "--token", "x"]) == 3
    with pytest.raises(SystemExit):
        main(["upload", "--help"])
    assert "4 the server does not answer" in " ".join(capsys.readouterr().out.split())
