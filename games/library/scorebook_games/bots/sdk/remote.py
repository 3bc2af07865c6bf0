"""Play over HTTP with a bot that runs on your own machine (docs/how-to/run-a-remote-bot.md). Needs only Python.

    python remote.py mybot.py --server https://… --token sb_…

Copy this file beside `scorebook_bot.py`. One thread reads the stream of your bot's games, and one thread for each game
reads its requests. A lost connection is opened again and begins with all that the bot needs to know, and so does this
program when you start it again. An answer that got lost is sent again with the same key and counts once. If the bot
raises an error or the server refuses its answer, it is asked once more. After that, a random legal move is played in
its place, so that its clock does not run out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import runpy
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urlencode, urljoin

try:
    from scorebook_games.bots.sdk import scorebook_bot
except ImportError:  # copied out of the repository, beside scorebook_bot.py
    import scorebook_bot  # type: ignore[import-not-found,no-redef]

SILENCE_SECONDS: Final = 45  # the server sends something every 15 seconds
PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # seconds before another try
MANY_PAUSES: Final = (*PAUSES, *PAUSES[-1:] * 100)
GONE: Final = (403, 404)  # statuses of a stream that will not come back
BUSY: Final = (429, 500, 502, 503, 504)  # statuses after which a request is sent again
LOST: Final = (OSError, ValueError, HTTPException)  # what a broken connection raises
MAX_MOVE_TRIES: Final = 2  # how often the bot gets the same request
# The game went on without this answer: somebody else gave one, or the time was up. The next request shows where it is.
TOO_LATE: Final = ("stale_version", "stale_beat", "clock_expired", "game_over", "not_started", "started")
MY_GAMES: Final = "me/games/events/"


class ServerRefusal(Exception):
    """The server refused a request. `status` and `code` are the server's."""

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error.get('sentence', 'The server does not say why.')} ({status} {error.get('code', '')})")
        self.status = status
        self.code: str = error.get("code", "")
        self.error = error


class Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: urllib would send the token to another server."""

    def redirect_request(self, *_arguments: Any) -> None:
        """Return None: the redirect itself is the answer."""


class Server:
    """A Scorebook server, used with one token. `timeout`: seconds of silence after which a connection is lost."""

    def __init__(self, address: str, token: str, timeout: float = SILENCE_SECONDS) -> None:
        if not address.startswith(("http://", "https://")):
            raise SystemExit(f"{address} is not the address of a server. It must begin with https://.")
        self.address = address
        self.token = token
        self.timeout = timeout
        self.opener = urllib.request.build_opener(Straight)

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the server's JSON answer. A request with a body is a POST. Raises `ServerRefusal` and OSError."""
        with self._open(path, body, "application/json") as answer:
            return json.loads(answer.read())

    def insist(self, path: str, body: Mapping[str, Any], pauses: Sequence[float] = MANY_PAUSES) -> Any:
        """Return the answer of `ask`, tried again while the server is busy or cannot be reached, once after each of
        `pauses`.

        An idempotency key makes the request count once. Raises `ServerRefusal`, the one of the last try.
        """
        sent = {**body, "idempotency_key": uuid.uuid4().hex}
        for pause in pauses:
            try:
                return self.ask(path, sent)
            except ServerRefusal as refused:
                if refused.status not in BUSY:
                    raise
                time.sleep(refused.error["wait_ms"] / 1000 if refused.code == "too_soon" else pause)
            except LOST as error:
                say(f"{path} could not be reached and is tried again: {error}")
                time.sleep(pause)
        try:
            return self.ask(path, sent)
        except LOST as error:
            raise unreachable(error) from error

    def lines(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the lines of a stream until it ends or the connection is lost. Raises `ServerRefusal` and OSError."""
        with self._open(path, None, "application/x-ndjson") as stream:
            for line in stream:
                if line.strip():
                    yield json.loads(line)

    def _open(self, path: str, body: Mapping[str, Any] | None, accept: str) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": accept, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        address = urljoin(self.address, f"/api/v1/{path}")
        request = urllib.request.Request(address, data=data, headers=headers)  # noqa: S310  checked above
        try:
            return self.opener.open(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            raise ServerRefusal(error.code, _error_of(error.read())) from error


def unreachable(error: Exception) -> ServerRefusal:
    """Return what is raised in place of one of `LOST`."""
    sentence = f"The server cannot be reached ({error}). Try again in a moment."
    return ServerRefusal(503, {"code": "unreachable", "sentence": sentence})


def not_a_bot() -> ServerRefusal:
    """Return what is raised for the token of a person: programs play as a bot, never in a person's seat."""
    sentence = "This is not the token of a bot. Create one for your remote bot, with the scopes read and play."
    return ServerRefusal(403, {"code": "not_a_bot", "sentence": sentence})


def own_bot(server: Server) -> dict[str, Any]:
    """Return the remote bot that plays with the server's token. Raises `ServerRefusal` not_a_bot, and OSError."""
    is_bot, bots = server.ask(MY_GAMES)["lines"][0]["bot"], server.ask("remote-bots/")
    if not is_bot or not bots:
        raise not_a_bot()
    found: dict[str, Any] = bots[0]
    return found


def _error_of(body: bytes) -> dict[str, Any]:
    try:
        error = json.loads(body)["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return error if isinstance(error, dict) else {}


class Lot(scorebook_bot.Bot):
    """Plays a random legal move when a bot has none to give."""

    def move(self, view: Any, legal: list[str]) -> str:
        """Return a random move, not the same each time."""
        del view
        return random.choice(legal)


class Remote:
    """Plays all games of one bot."""

    def __init__(self, server: Server, bot_class: type) -> None:
        self.server = server
        self.bot_class = bot_class
        self.playing: dict[str, threading.Thread] = {}
        self.over: list[str] = []
        self.failed: ServerRefusal | None = None
        self.done = threading.Event()
        self.changed = threading.Condition()

    def run(self, games: int | None = None) -> None:
        """Play until `games` games are over; with None, for ever.

        Raises `ServerRefusal` if the token is not a bot's, or once it is no longer valid.
        """
        threading.Thread(target=self.watch, daemon=True).start()
        with self.changed:
            self.changed.wait_for(lambda: self.failed or (games is not None and len(self.over) >= games))
            self.done.set()
        if self.failed:
            raise self.failed

    def watch(self) -> None:
        """Begin each game that the server reports, until `run` is done."""
        for line in self.follow(MY_GAMES):
            if line["type"] == "game":
                self.begin(line["game"])
            elif line["type"] == "player" and not line["bot"]:
                self.fail(not_a_bot())
                break

    def begin(self, game: str) -> None:
        """Start a thread that plays a game, unless one is running."""
        with self.changed:
            if not self.done.is_set() and game not in self.playing:
                self.playing[game] = threading.Thread(target=self.play, args=[game], daemon=True)
                self.playing[game].start()

    def play(self, game: str) -> None:
        """Play one game to its end."""
        session, lot = scorebook_bot.Session(self.bot_class), scorebook_bot.Session(Lot)
        for line in self.follow(f"games/{game}/asks/"):
            try:
                self.answer(game, session, lot, line)
            except ServerRefusal as refused:
                say(f"{game}: {refused}")
            if line["type"] == "over":
                break
        with self.changed:
            self.over.append(game)
            del self.playing[game]
            self.changed.notify_all()

    def follow(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the lines of a stream and open it again whenever it ends, until `run` is done, the token is no longer
        valid, or the bot has no seat in the game any more."""
        tries = 0
        while not self.done.is_set():
            try:
                for line in self.server.lines(path):
                    tries = 0
                    if line["type"] != "end":  # an "end" line says why the stream stops; open it again
                        yield line
            except ServerRefusal as refused:
                if refused.status == 401 or (refused.status in GONE and path == MY_GAMES):
                    return self.fail(refused)
                say(f"{path}: {refused}")
                if refused.status in GONE:  # another program, or a clock, has lost the seat of this game
                    return
            except LOST as error:
                if self.done.is_set():
                    return
                say(f"{path} is opened again: {error}")
            time.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1

    def fail(self, refused: ServerRefusal) -> None:
        """Stop: nothing more can be done with this token."""
        with self.changed:
            self.failed = refused
            self.changed.notify_all()

    def answer(self, game: str, session: Any, lot: Any, line: Mapping[str, Any]) -> None:
        """Let the bot answer a line, and send the answer; if there is no valid one, send an answer of `lot`.

        Raises `ServerRefusal`.
        """
        for asked in [line] if line["type"] in ("hello", "over") else [line, *[again(line)] * (MAX_MOVE_TRIES - 1)]:
            try:
                self.give(game, session, asked)
                break
            except ServerRefusal as refused:
                if refused.status != 400 and refused.code != "illegal_move":
                    raise
                say(f"{game}: {refused}")
            except Exception:  # the bot's own code may raise anything
                say(f"{game}: the bot failed.\n{traceback.format_exc()}")
        else:
            if line["type"] in ("move", "bundle"):
                say(f"{game}: a random legal move is played instead.")
                self.give(game, lot, again(line))
        if line["type"] == "hello":
            lot.answer(line)
            say(f"{game}: {line['kind']}, seat {line['seat']}")
            self.send(f"games/{game}/ready/", {})  # begins a live game, and checks in for a game of a season

    def give(self, game: str, session: Any, line: Mapping[str, Any]) -> None:
        """Send what the bot of `session` answers to a line. Raises `ServerRefusal`, LookupError if the bot does not
        play this kind, and whatever the bot raises."""
        reply = session.answer(line)
        if reply is None and line["type"] in ("move", "bundle"):
            raise LookupError("The bot says in `kinds` that it does not play this kind.")
        if reply and line["type"] == "move":
            self.send(f"games/{game}/moves/", {"move": reply["move"], "expected_version": reply["version"]})
        elif reply and line["type"] == "bundle":
            moves = self.whole_bundle(game, session, reply)
            self.send(f"games/{game}/bundles/", {"beat": reply["beat"], "moves": moves})

    def whole_bundle(self, game: str, session: Any, reply: Mapping[str, Any]) -> list[str]:
        """Return all moves of a bundle. While the bot gives only a part, it is asked for the next moves."""
        moves: list[str] = list(reply["moves"])
        while reply.get("more"):
            asked = self.server.ask(f"games/{game}/asks/?{urlencode({'after': moves}, doseq=True)}")["ask"]
            if asked is None or asked["type"] != "bundle" or asked["beat"] != reply["beat"]:
                raise ServerRefusal(409, {"code": "stale_beat", "sentence": "The beat has ended in the meantime."})
            reply = session.answer(asked)
            moves += reply["moves"]
        return moves

    def send(self, path: str, body: Mapping[str, Any]) -> None:
        """POST an answer. One that comes too late is ignored, and reported unless it only checked in."""
        try:
            self.server.insist(path, body)
        except ServerRefusal as refused:
            if refused.code not in TOO_LATE:
                raise
            if refused.code != "started":
                say(f"{path}: too late. {refused}")


def again(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same request without its events, for a bot that has already got them."""
    return {**line, "events": []}


def challenge(server: Server, kind: str, built_in: Sequence[str]) -> str:
    """Open a game of the token's bot against built-in bots and return its id. Raises `ServerRefusal`."""
    bot = own_bot(server)
    game: str = server.insist(f"remote-bots/{bot['id']}/games/", {"kind": kind, "built_in": list(built_in)})["id"]
    return game


def say(text: str) -> None:
    """Write a line for the bot's author."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def bot_in(path: str) -> type:
    """Return the class `Bot` of a file."""
    sys.modules.setdefault("scorebook_bot", scorebook_bot)
    found: type = scorebook_bot.find_bot(runpy.run_path(path, run_name="bot"))
    return found


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="remote.py", description="Play over HTTP with a bot on your own machine.")
    made.add_argument("bot", help="the bot's file")
    made.add_argument("--server", required=True, help="address of the server, https://…")
    made.add_argument("--token", default="", help="default: SCOREBOOK_TOKEN in the environment")
    made.add_argument("--challenge", metavar="KIND", help="first open a game of this kind against built-in bots")
    made.add_argument("--against", default="sensible", help="built-in bots, several separated by commas")
    made.add_argument("--games", type=int, help="stop after this number of finished games")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if the server refused."""
    given = parser().parse_args(arguments)
    server = Server(given.server, given.token or os.environ.get("SCOREBOOK_TOKEN", ""))
    try:
        if given.challenge:
            say(f"A game is open: {challenge(server, given.challenge, given.against.split(','))}")
        Remote(server, bot_in(given.bot)).run(given.games)
    except ServerRefusal as refused:
        say(str(refused))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
