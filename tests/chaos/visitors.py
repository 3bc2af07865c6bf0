"""The visitors of a platform whose processes are killed: people and programs, who use HTTP and record all answers.

People with a token use the client of docs/. People with a browser send what the page's script sends: cookie, CSRF
token, and the key of the move in its body. Both repeat a request that was lost.
"""

from __future__ import annotations

import json
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NamedTuple

from docs.scorebook_client import (
    LOST,
    PAUSES,
    WORTH_ANOTHER_TRY,
    Forged,
    Moved,
    Refused,
    Scorebook,
    verify_webhook,
)

LOOK_SECONDS: Final = 0.3  # pause between two requests for a person's games
THINKS: Final = (0.0, 0.6)  # limits of the seconds before a move
VERSIONS: Final = 3  # versions that an author uploads; each plays more than a hundred games in admission
CSRF: Final = "0" * 32


class Played(NamedTuple):
    """A move that the platform answered with 2xx."""

    game: str
    player: int
    move: str
    expected: int
    version: int


@dataclass
class Ledger:
    """The answers that all visitors received, in all threads. `unsure` are moves without an answer. `refused` counts
    refusals by status and code. `broken` are answers that no visitor should get."""

    played: list[Played] = field(default_factory=list)
    unsure: set[tuple[str, str, int]] = field(default_factory=set)
    refused: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    watched: list[Watched] = field(default_factory=list)
    seasons: list[int] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)
    lost: int = 0

    def note(self, error: Exception, where: str) -> None:
        """Record a request that was given up. A platform that is restarting may answer with a status worth another try
        or not answer at all. All other refusals are broken, except those of outdated moves and finished games."""
        if not isinstance(error, Refused):
            self.lost += 1
            return
        self.refused[f"{error.status} {error.code}"] += 1
        if error.status not in WORTH_ANOTHER_TRY and error.code not in ("stale_version", "game_over"):
            self.broken.append(f"{where}: {error}")


class Browser(Scorebook):
    """A person who uses the platform's page."""

    def __init__(self, address: str, session: str) -> None:
        super().__init__(address)
        self.session = session

    def move(self, game: str, move: str, version: int) -> Moved:
        body = json.dumps({"move": move, "expected_version": version, "idempotency_key": uuid.uuid4().hex}).encode()
        for pause in (*PAUSES, None):
            try:
                with self._open("POST", f"games/{game}/moves/", body, {}) as answer:
                    moved: Moved = json.loads(answer.read())
                    return moved
            except Refused as refused:
                if pause is None or refused.status not in WORTH_ANOTHER_TRY:
                    raise
            except LOST:
                if pause is None:
                    raise
            time.sleep(pause)
        raise AssertionError("There is a last try.")

    def _open(self, method: str, path: str, body: bytes | None, headers: Any) -> Any:
        signed_in = {"Cookie": f"sessionid={self.session}; csrftoken={CSRF}", "X-CSRFToken": CSRF}
        return super()._open(method, path, body, {**headers, **signed_in})


@dataclass
class Person:
    """A person who plays random moves in all their games."""

    book: Scorebook
    player: int
    ledger: Ledger
    chance: random.Random

    def live(self, over: threading.Event) -> None:
        while not over.wait(LOOK_SECONDS):
            try:
                for game in list(self.book.games(status="playing", player=self.player)):
                    self.play(game["id"])
            except (*LOST, Refused) as error:
                self.ledger.note(error, f"player {self.player}")

    def play(self, game: str) -> None:
        turn = self.book.turn(game)
        if turn["seat"] not in turn.get("before_go", {}).get("ready", [turn["seat"]]):
            self.book.post(f"games/{game}/ready/")  # a repeated request changes nothing
        if not turn["may_act"] or not turn["legal"]:
            return
        move, version = self.chance.choice(turn["legal"])["move"], turn["version"]
        time.sleep(self.chance.uniform(*THINKS))
        try:
            moved = self.book.move(game, move, version)
        except (*LOST, Refused) as error:
            if not isinstance(error, Refused) or error.status in WORTH_ANOTHER_TRY:
                self.ledger.unsure.add((game, move, version))
            raise
        self.ledger.played.append(Played(game, self.player, move, version, moved["version"]))


@dataclass
class Watched:
    """A game that a watcher follows: its versions in order, and the number of connections."""

    game: str
    versions: list[int] = field(default_factory=list)
    connections: int = 1
    ended: bool = False


@dataclass
class Watcher:
    """A person without an account who watches one game after the other, each to its end."""

    book: Scorebook
    ledger: Ledger
    chance: random.Random
    enough: threading.Event

    def live(self, over: threading.Event) -> None:
        while not over.wait(LOOK_SECONDS) and not self.enough.is_set():
            try:
                on = self.book.get("games/", status="playing")["results"]
                if on:
                    self.follow(self.chance.choice(on)["id"])
            except (*LOST, Refused) as error:
                self.ledger.note(error, "watcher")

    def follow(self, game: str) -> None:
        seen = Watched(game)
        self.ledger.watched.append(seen)
        while not seen.ended:
            try:
                last = seen.versions[-1] if seen.versions else 0
                for event in self.book.follow(game, since=last):
                    if event["type"] == "game" and (seen.versions or event["data"]["version"]):
                        seen.connections += 1
                    if event["type"] == "event":
                        seen.versions.append(event["data"]["version"])
                seen.ended = True
            except (*LOST, Refused) as error:
                self.ledger.note(error, f"watcher of {game}")
                seen.connections += 1
                time.sleep(LOOK_SECONDS)


@dataclass
class Organiser:
    """An organiser who sets up and starts a season whenever fewer than `at_once` are running, until `enough` is set.
    `done` is set when no request is running any more."""

    book: Scorebook
    ledger: Ledger
    plan: Callable[[int], dict[str, Any]]
    at_once: int = 2
    enough: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)

    def live(self, over: threading.Event) -> None:
        number, key = 0, uuid.uuid4().hex
        while not over.wait(LOOK_SECONDS) and not self.enough.is_set():
            try:
                if len(list(self.book.seasons(status="running"))) < self.at_once:
                    self.ledger.seasons.append(self.book.post("seasons/", self.plan(number), key=key)["id"])
                    number, key = number + 1, uuid.uuid4().hex
            except (*LOST, Refused) as error:
                self.ledger.note(error, "organiser")
        self.done.set()


@dataclass
class Author:
    """An author who uploads one version after the other, each after the last admission has ended, until `enough` is
    set."""

    book: Scorebook
    ledger: Ledger
    bot: str
    source: str
    enough: threading.Event

    def live(self, over: threading.Event) -> None:
        number = 0
        while number < VERSIONS and not over.wait(1.0):
            try:
                if not number or self.book.admission(self.bot, number)["state"] not in (
                    "admission",
                    "waiting",
                    "running",
                ):
                    if self.enough.is_set():
                        return
                    made = self.book.upload(self.bot, f"# {number}\n{self.source}".encode())
                    number = made["number"]
                    self.ledger.versions.append(number)
            except (*LOST, Refused) as error:
                self.ledger.note(error, "author")


class Receiver:
    """A program that receives webhooks, and stores the bodies of each message by its id."""

    def __init__(self) -> None:
        self.came: dict[str, list[bytes]] = {}
        self.forged: list[str] = []
        self.secret = ""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.take(dict(self.headers.items()), body)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_arguments: Any) -> None:
                """Log nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hook"

    def take(self, headers: dict[str, str], body: bytes) -> None:
        try:
            verify_webhook(self.secret, headers, body)
        except Forged as forged:
            self.forged.append(str(forged))
        self.came.setdefault(headers["webhook-id"], []).append(body)


@contextmanager
def at_home(*visitors: Person | Watcher | Organiser | Author) -> Iterator[threading.Event]:
    """Run all visitors, each in a thread, within the block. Yield the event that ends them."""
    over = threading.Event()
    threads = [threading.Thread(target=each.live, args=[over], daemon=True) for each in visitors]
    for thread in threads:
        thread.start()
    try:
        yield over
    finally:
        over.set()
        for thread in threads:
            thread.join(1)
