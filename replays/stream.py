"""Games as they are played, over HTTP: Server-Sent Events or NDJSON from one small ASGI application.

It stands before Django (`config.asgi`) because a watcher must cost neither a thread nor a database connection: access
is checked once, then the watcher waits. One LISTEN connection for the process hears `games.log.announce`; on a note
the process reads the new events once, makes ready bytes once for each kind of viewer, and wakes who waits. Watchers
pull: each knows the version that it has, so there is no queue that could overflow, and none can miss or double an
event. A note may be lost, so every watched game is also looked up on a slow timer.

The stream begins with a line of type ``game`` that stands by itself (who sits where, the observation at the version
from which it goes on), then a line of type ``event`` for each version, and ends with ``over``. SSE resumes from
`Last-Event-ID`, NDJSON from `?since=`; both take `?eyes=`. What is made of one game is in `replays.tail`.

Players, through the eyes of their own seat, also get lines of type ``state``: who of them is here, and a number that
grows whenever something else than an event has changed (a bundle given, presence); they ask for their turn again then.
Such a line is their sign of life too. That a seat has its stream open is presence (`games.presence`). With `?stay=1`
these lines go on after ``over``: people who have played may wish to play once more.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from importlib import import_module
from typing import Any, TypeVar
from urllib.parse import parse_qs
from uuid import uuid4

import psycopg
from django.conf import settings
from django.contrib.auth import get_user
from django.db import DEFAULT_DB_ALIAS, Error, connection, connections
from django.http import HttpRequest, parse_cookie

from games import observe, presence, table
from games.errors import TableError
from games.turn import seat_for
from replays.tail import NDJSON, SSE, Tail, Ticket, line, moved_on, news, opening, state_line

logger = logging.getLogger(__name__)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
T = TypeVar("T")

ADDRESS = re.compile(r"^/api/v1/games/([0-9A-Za-z]{1,20})/events/$")
KEEP_ALIVE_SECONDS = 15.0
LOOK_AGAIN_SECONDS = 10.0
STALLED_SECONDS = 30.0
SIGN_OF_LIFE = {NDJSON: b"\n", SSE: b": still here\n\n"}
DATABASE_THREADS = 2


def content_type_of(scope: Scope) -> str | None:
    """Which of the two forms a request asks for, or None when it is not for this application."""
    if scope["type"] != "http" or scope["method"] != "GET" or not ADDRESS.match(scope["path"]):
        return None
    accept = header(scope, b"accept")
    return next((form for form in (SSE, NDJSON) if form in accept), None)


def header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


class Hub:
    """Everything that one web process knows of the games watched in it."""

    def __init__(self) -> None:
        self.tails: dict[int, Tail] = {}
        self.threads = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="stream")
        self.tasks: list[asyncio.Task[None]] = []
        self.readings: set[asyncio.Task[None]] = set()
        self.process = uuid4()

    async def ask(self, question: Callable[..., T], *arguments: Any) -> T:
        """Ask the database in one of the few threads kept for it; the connection is given back at once."""

        def asked() -> T:
            try:
                return question(*arguments)
            finally:
                connection.close()

        return await asyncio.get_running_loop().run_in_executor(self.threads, asked)

    def start(self) -> None:
        """Begin to listen, with the first watcher of the process."""
        if not self.tasks or any(task.done() for task in self.tasks):
            self.tasks = [asyncio.create_task(self.listen()), asyncio.create_task(self.look_again())]

    async def stop(self) -> None:
        """Stop listening, at the end of the process."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.tasks = []

    async def listen(self) -> None:
        """Hear which games have moved on, for ever; a lost connection is made again after a pause."""
        pause = 0.5
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(**connection_facts(), autocommit=True) as listening:
                    await listening.execute("LISTEN games")
                    pause = 0.5
                    for game_id in list(self.tails):
                        self.note(game_id)
                    async for notice in listening.notifies():
                        watched, _colon, said = notice.payload.partition(":")
                        self.note(int(watched), state=said == "state")
            except psycopg.OperationalError as error:
                logger.warning("The stream lost its database connection and tries again in %.1f s: %s", pause, error)
            await asyncio.sleep(pause)
            pause = min(pause * 2, 10)

    async def look_again(self) -> None:
        """Find what a lost note did not tell."""
        while True:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            known = {game_id: len(tail.entries) for game_id, tail in self.tails.items() if not tail.over}
            with suppress(Error):
                for game_id in await self.ask(moved_on, known):
                    self.note(game_id)
                for tail in [tail for tail in self.tails.values() if tail.here or tail.players.total()]:
                    await self.settle(tail)
                    await self.look_round(tail, only_if_changed=True)
                await self.ask(presence.still_here, self.process)

    def note(self, game_id: int, *, state: bool = False) -> None:
        """Read on in a game, if somebody here watches it; `state`: what has changed is no event."""
        if tail := self.tails.get(game_id):
            reading = asyncio.create_task(self.look_round(tail) if state else self.read_on(tail))
            self.readings.add(reading)
            reading.add_done_callback(self.readings.discard)

    async def look_round(self, tail: Tail, *, only_if_changed: bool = False) -> None:
        """Something other than an event has changed, or presence may have: players are told."""
        if tail.players.total():
            async with tail.looking:  # one after the other, so that no older answer comes to stand above a newer one
                before, tail.present = tail.present, await self.ask(presence.present, tail.game)
            if tail.present != before or not only_if_changed:
                tail.state += 1
                tail.wake()

    async def settle(self, tail: Tail) -> None:
        """Write down which seats watch the game through this process, as it is by now, whatever became of an earlier
        try."""
        async with tail.looking:
            for seat in [*tail.players, *tail.here]:
                if tail.players[seat] and seat not in tail.here:
                    await self.ask(presence.arrive, tail.game.pk, seat, self.process)
                    tail.here.add(seat)
                elif not tail.players[seat] and seat in tail.here:
                    await self.ask(presence.leave, tail.game.pk, seat, self.process)
                    tail.here.discard(seat)
        self.forget(tail)

    def forget(self, tail: Tail) -> None:
        """Keep nothing of a game that nobody watches here, once that nobody does is written down."""
        if not tail.watchers and not tail.here and self.tails.get(tail.game.pk) is tail:
            del self.tails[tail.game.pk]

    def settling(self, tail: Tail) -> asyncio.Task[None]:
        """`settle` as a task of the process, which ends when it is done and not when a watcher goes."""
        task = asyncio.create_task(self.settle(tail))
        self.readings.add(task)
        task.add_done_callback(self.readings.discard)
        return task

    async def arrive(self, ticket: Ticket, tail: Tail) -> None:
        """A player has come; the first stream of a seat in this process is told to everybody."""
        if ticket.plays and isinstance(ticket.viewer, int):
            tail.players[ticket.viewer] += 1
            await asyncio.shield(self.settling(tail))
            await self.look_round(tail, only_if_changed=True)

    def leave(self, ticket: Ticket, tail: Tail) -> None:
        """A player has gone; so has a seat with its last stream."""
        if ticket.plays and isinstance(ticket.viewer, int):
            tail.players[ticket.viewer] -= 1
            self.settling(tail)

    async def read_on(self, tail: Tail) -> None:
        """Take in what the log has beyond the tail, and wake who waits for it."""
        async with tail.reading:
            entries, tail.over, running = await self.ask(news, tail)
            tail.entries += entries
            tail.clock = running if entries else tail.clock
        if entries or tail.over:
            tail.wake()

    async def watch(self, ticket: Ticket) -> AsyncGenerator[bytes]:
        """The bytes for one watcher: the opening line, every event that comes, a sign of life, the end."""
        self.start()
        game = ticket.game
        tail = self.tails.setdefault(game.pk, Tail(game))
        tail.watchers += 1
        try:
            await self.arrive(ticket, tail)
            await self.read_on(tail)
            version = min(ticket.since, tail.visible(ticket.viewer))
            yield line(ticket.form, opening(ticket, tail.entries[:version]))
            told, ended = -1, False
            while True:
                changed = tail.changed
                if ticket.plays and told != tail.state:
                    told = tail.state
                    yield state_line(ticket, tail)
                until = tail.visible(ticket.viewer)
                if until > version:
                    yield b"".join(tail.lines(ticket, version, until))
                    version = until
                if tail.has_left(ticket):
                    return
                if tail.over and version == len(tail.entries) and not ended:
                    ended = True
                    yield line(ticket.form, {"type": "over", "version": version, **tail.over})
                    if not ticket.stays:
                        return
                try:
                    behind = version < len(tail.entries)
                    await asyncio.wait_for(changed.wait(), 1.0 if behind else KEEP_ALIVE_SECONDS)
                except TimeoutError:
                    yield state_line(ticket, tail) if ticket.plays else SIGN_OF_LIFE[ticket.form]
        finally:
            tail.watchers -= 1
            self.leave(ticket, tail)
            self.forget(tail)


def connection_facts() -> dict[str, Any]:
    """What psycopg needs to reach the database that Django uses."""
    facts = connections[DEFAULT_DB_ALIAS].settings_dict
    wanted = {"host": "HOST", "port": "PORT", "dbname": "NAME", "user": "USER", "password": "PASSWORD"}
    return {name: facts[key] for name, key in wanted.items() if facts[key]}


def admit(scope: Scope, form: str) -> Ticket:
    """Who asks, for what, and whether they may. Raises `TableError`."""
    address = ADDRESS.match(scope["path"])
    assert address  # the request would not have come here
    game = table.find(address[1])
    query = {name: values[-1] for name, values in parse_qs(scope["query_string"].decode("latin-1")).items()}
    user = user_of(scope)
    viewer = observe.viewer_of(game, user, query.get("eyes"))
    since = header(scope, b"last-event-id") or query.get("since", "0")
    if not since.isdecimal() or len(since) > 9:
        raise TableError(400, "bad_version", "Say from which version on with a whole number: ?since=0.")
    plays = isinstance(viewer, int) and seat_for(game, user) == viewer
    stays = plays and query.get("stay") == "1"
    return Ticket(game, viewer, int(since), form, observe.game_facts(game, viewer), plays, stays)


def user_of(scope: Scope) -> Any:
    """The user of the browser's session; an anonymous one without."""
    cookies = parse_cookie(header(scope, b"cookie"))
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(cookies.get(settings.SESSION_COOKIE_NAME))
    user = get_user(request)
    user.pk  # noqa: B018  looked up here, in a thread that may
    return user


hub = Hub()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application: one request, one watcher."""
    form = content_type_of(scope)
    assert form  # config.asgi asked before
    try:
        ticket = await hub.ask(admit, scope, form)
    except TableError as error:
        await refuse(error, send)
        return
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [
                (b"content-type", f"{form}; charset=utf-8".encode()),
                (b"cache-control", b"no-store"),
                (b"x-accel-buffering", b"no"),
            ],
        }
    )
    pouring = asyncio.create_task(pour(ticket, send))
    leaving = asyncio.create_task(gone(receive))
    with suppress(asyncio.CancelledError):  # the server stops: a watcher resumes elsewhere
        await asyncio.wait({pouring, leaving}, return_when=asyncio.FIRST_COMPLETED)
    for task in (pouring, leaving):
        task.cancel()
    fault, _ = await asyncio.gather(pouring, leaving, return_exceptions=True)
    if isinstance(fault, Exception):
        logger.error("A watcher of %s was let go by a fault of ours.", ticket.game, exc_info=fault)
    with suppress(OSError):
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def pour(ticket: Ticket, send: Send) -> None:
    """Hand a watcher their bytes; who takes none for a while is let go and may resume."""
    with suppress(TimeoutError, OSError):
        async with aclosing(hub.watch(ticket)) as chunks:
            async for chunk in chunks:
                message = {"type": "http.response.body", "body": chunk, "more_body": True}
                await asyncio.wait_for(send(message), STALLED_SECONDS)


async def gone(receive: Receive) -> None:
    """Return when the watcher has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def refuse(error: TableError, send: Send) -> None:
    """An error in the API's one shape."""
    described = {"error": {"status": error.status, "code": error.code, "sentence": error.sentence, **error.extra}}
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(described).encode()})
