"""A client of Scorebook's API in one file, with Python's standard library alone (3.11 and later). Copy it.

    book = Scorebook("https://scorebook.example.org", token="sb_…")
    for season in book.seasons(status="open", kind="palace"):
        print(season["name"])

A request that is lost, or that a busy server puts off, is sent again with growing pauses, or after the time that the
server names (`Retry-After`); each POST has a key by which it counts once. What is refused is raised as `Refused`,
with status, code and sentence. docs/reference/api.md has every operation: for those that have no function of their own
here there are `get`, `post`, `put`, `patch`, `delete`, `pages`, `file` and `stream`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from typing import Any, Final, TypedDict
from urllib.parse import quote, urlencode, urlsplit

PAUSES: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # seconds, each up to half as long again by chance
MAX_WAIT_SECONDS: Final = 120.0  # a server that says to come again later than that is believed, and its refusal raised
LOST: Final = (OSError, HTTPException)  # what a connection that breaks raises
WORTH_ANOTHER_TRY: Final = (429, 502, 503, 504)
TOLERANCE: Final = 300  # seconds that a webhook's clock may be off


class Refused(Exception):
    """The server said no: `status`, `code` for programs, `sentence` for people; `error` is all that it said."""

    def __init__(self, status: int, error: Mapping[str, Any], wait: float = 0.0) -> None:
        self.status = status
        self.code = str(error.get("code", ""))
        self.sentence = str(error.get("sentence", "The server does not say why."))
        self.error = dict(error)
        self.wait = wait
        super().__init__(f"{self.sentence} ({status} {self.code})")


class Forged(Exception):
    """A message is not Scorebook's, or is too old."""


class Club(TypedDict):
    """What `clubs` gives, and more."""

    id: int
    name: str
    slug: str
    about: str
    your_role: str


class Season(TypedDict):
    """What `seasons` gives, and more."""

    id: int
    name: str
    kind: str
    status: str


class Game(TypedDict):
    """What `games` gives, and more; `version` is None while not everybody may know it."""

    id: str
    kind: str
    status: str
    version: int | None
    outcome: Any


class Moved(TypedDict):
    """What came of a move."""

    version: int
    events: list[dict[str, Any]]


class Event(TypedDict):
    """What a game's stream sent: `type` is game, event, state or redacted; `id` is the version, if it has one."""

    id: str
    type: str
    data: Any


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is for one server alone."""

    def redirect_request(self, *_arguments: Any) -> None:
        """None: the redirect is the answer."""


class Scorebook:
    """A Scorebook at `address`, asked with one token, or as anybody."""

    def __init__(self, address: str, token: str | None = None, *, timeout: float = 45.0) -> None:
        if urlsplit(address).scheme not in ("http", "https"):
            raise ValueError(f"{address} is no address of a server: it begins with https://.")
        self.address = address.rstrip("/")
        self.token = token
        self.timeout = timeout
        self._opener = urllib.request.build_opener(_Straight)

    # any operation

    def get(self, path: str, **parameters: Any) -> Any:
        """The answer at `path`, as "games/". Raises `Refused`, OSError."""
        return self._ask("GET", _with(path, parameters))

    def post(self, path: str, body: Any = None, *, key: str | None = None) -> Any:
        """Do something, once, however often it must be sent; a `key` of your own makes that so over a restart of your
        program too. Raises `Refused`, OSError."""
        keyed = {"Idempotency-Key": key or uuid.uuid4().hex} if self.token else {}
        return self._ask("POST", path, _json(body), keyed)

    def patch(self, path: str, body: Any) -> Any:
        """Change something. Raises `Refused`, OSError."""
        return self._ask("PATCH", path, _json(body))

    def put(self, path: str, body: Any) -> Any:
        """Put something in the place of what is there. Raises `Refused`, OSError."""
        return self._ask("PUT", path, _json(body))

    def delete(self, path: str, body: Any = None) -> Any:
        """Take something away; what is left of it, if the server says so. Raises `Refused`, OSError."""
        return self._ask("DELETE", path, None if body is None else _json(body))

    def file(self, path: str, **parameters: Any) -> bytes:
        """What is no JSON, to the byte: "seasons/7/export/" as zip, the source of a bot. `as` is a word of Python's:
        write `**{"as": "zip"}`. Raises `Refused`, OSError."""
        found: bytes = self._send("GET", _with(path, parameters), headers={"Accept": "*/*"})
        return found

    def stream(self, path: str, since: str = "") -> Iterator[Event]:
        """What a stream tells as it happens, as "me/games/events/", from the event of the id `since` on, until the
        server ends it. Raises `Refused`, and OSError where the connection is lost: then go on from the last `id`."""
        return self._events(path, since)

    def pages(self, path: str, **parameters: Any) -> Iterator[Any]:
        """Everything on a list, page after page, asked for as you go on. Raises `Refused`, OSError."""
        found = self.get(path, **parameters)
        while True:
            yield from found["results"]
            if not found["next"]:
                return
            following = urlsplit(found["next"])
            found = self._ask("GET", f"{path}?{following.query}")

    # the main things

    def me(self) -> dict[str, Any]:
        """Who the token plays as."""
        return dict(self.get("me/"))

    def clubs(self, *, mine: bool = False) -> Iterator[Club]:
        """Clubs that you may see, or those that you belong to."""
        return self.pages("clubs/", **({"mine": "true"} if mine else {}))

    def seasons(self, *, status: str = "", kind: str = "", club: str = "") -> Iterator[Season]:
        """Seasons, the newest first; `status` as "open", `club` by its slug."""
        wanted = {"status": status, "kind": kind, "club": club}
        return self.pages("seasons/", **{name: value for name, value in wanted.items() if value})

    def enter(self, season: int, *, player: int | None = None) -> dict[str, Any]:
        """Enter a season yourself, or with `player`, a version of a bot of yours."""
        return dict(self.post(f"seasons/{season}/join/", {} if player is None else {"player": player}))

    def games(self, *, status: str = "", kind: str = "", player: int | None = None) -> Iterator[Game]:
        """Games, the newest first."""
        wanted = {"status": status, "kind": kind, "player": player}
        return self.pages("games/", **{name: value for name, value in wanted.items() if value})

    def game(self, game: str) -> Game:
        """One game."""
        found: Game = self.get(f"games/{game}/")
        return found

    def turn(self, game: str) -> dict[str, Any]:
        """What your seat can do: `may_act`, and `legal` moves with their words."""
        return dict(self.get(f"games/{game}/turn/"))

    def move(self, game: str, move: str, version: int) -> Moved:
        """Play a move, as you decided at `version`. Raises `Refused`: stale_version, illegal_move and others."""
        moved: Moved = self.post(f"games/{game}/moves/", {"move": move, "expected_version": version})
        return moved

    def follow(self, game: str, since: int = 0) -> Iterator[Event]:
        """What happens in a game, as it happens, until it is over; a lost connection is made again where it broke off.
        Raises `Refused`."""
        last, pauses = str(since), iter(PAUSES)
        while True:
            try:
                for event in self._events(f"games/{game}/events/", last):
                    if event["type"] == "end":
                        break  # the server had to end the stream; asked again, it goes on or says why not
                    last, pauses = event["id"] or last, iter(PAUSES)
                    yield event
                    if event["type"] == "over":
                        return
                else:
                    raise ConnectionResetError("The stream broke off before it was whole.")
            except (Refused, *LOST) as error:
                pause = next(pauses, None)
                if pause is None or (isinstance(error, Refused) and error.status not in WORTH_ANOTHER_TRY):
                    raise
                _sleep(max(pause, getattr(error, "wait", 0.0)))

    def upload(self, bot: str, source: bytes) -> dict[str, Any]:
        """The next version of your bot `bot`: its file. Ask `admission` until it is taken or refused."""
        headers = {"Content-Type": "application/octet-stream", "Idempotency-Key": hashlib.sha256(source).hexdigest()}
        return dict(self._ask("POST", f"bots/{quote(bot)}/versions/", source, headers))

    def admission(self, bot: str, version: int) -> dict[str, Any]:
        """How far the trial of an uploaded version has come: `state`, `steps`, `faults`."""
        return dict(self.get(f"bots/{quote(bot)}/versions/{version}/admission/"))

    # how it is asked

    def _ask(self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Any:
        text = self._send(method, path, body, headers)
        return json.loads(text) if text else None

    def _send(self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Any:
        repeatable = method in ("GET", "PATCH", "PUT") or "Idempotency-Key" in (headers or {})
        for pause in PAUSES:
            try:
                with self._open(method, path, body, headers or {}) as answer:
                    return answer.read()
            except Refused as refused:
                if refused.status not in WORTH_ANOTHER_TRY or refused.wait > MAX_WAIT_SECONDS:
                    raise
                if refused.status != 429 and not repeatable:
                    raise
                last: Exception = refused
                _sleep(max(pause, refused.wait))
            except LOST as lost:
                if not repeatable:
                    raise
                last = lost
                _sleep(pause)
        raise last

    def _open(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Any:
        told = {"Accept": "application/json", "Content-Type": "application/json", **headers}
        if self.token:
            told["Authorization"] = f"Bearer {self.token}"
        address = f"{self.address}/api/v1/{path}"
        request = urllib.request.Request(address, data=body, headers=told, method=method)  # noqa: S310  checked above
        try:
            return self._opener.open(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            with error:
                wait = error.headers.get("Retry-After", "0")
                raise Refused(error.code, _said(error.read()), float(wait) if wait.isdecimal() else 0.0) from error

    def _events(self, path: str, last: str) -> Iterator[Event]:
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last} if last else {})}
        with self._open("GET", path, None, headers) as stream:
            fields: dict[str, str] = {}
            for raw in stream:
                line = raw.decode().rstrip("\r\n")
                if line and not line.startswith(":"):  # which only says that the server is there
                    name, _colon, value = line.partition(":")
                    fields[name] = (
                        fields[name] + "\n" + value.removeprefix(" ") if name in fields else value.lstrip(" ")
                    )
                elif not line and "data" in fields:
                    kind = fields.get("event", "message")
                    yield {"id": fields.get("id", ""), "type": kind, "data": json.loads(fields["data"])}
                    fields = {}


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None) -> dict[str, Any]:
    """The event of a message that came to your receiver. `headers` by whatever case, `body` to the byte.

    Raises `Forged`. A message may come twice: keep the `webhook-id`s of the last days, and do each once.
    """
    told = {name.lower(): value for name, value in headers.items()}
    message, at = told.get("webhook-id", ""), told.get("webhook-timestamp", "")
    if not at.isdecimal() or abs((time.time() if now is None else now) - int(at)) > TOLERANCE:
        raise Forged("The message has no time, or is not of these five minutes.")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message}.{at}.".encode() + body, hashlib.sha256).digest()
    wanted = "v1," + base64.b64encode(digest).decode()
    if not any(hmac.compare_digest(each, wanted) for each in told.get("webhook-signature", "").split()):
        raise Forged("The signature is not that of this secret.")
    return dict(json.loads(body))


def _with(path: str, parameters: Mapping[str, Any]) -> str:
    """`path` with its parameters: true and false as the API writes them, and without those that are None."""
    known = {name: str(value).lower() if isinstance(value, bool) else value for name, value in parameters.items()}
    asked = urlencode({name: value for name, value in known.items() if value is not None}, doseq=True)
    return f"{path}?{asked}" if asked else path


def _json(body: Any) -> bytes:
    return json.dumps({} if body is None else body).encode()


def _sleep(seconds: float) -> None:
    time.sleep(seconds * (1 + random.random() / 2))


def _said(body: bytes) -> dict[str, Any]:
    try:
        error = json.loads(body)["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return error if isinstance(error, dict) else {}
