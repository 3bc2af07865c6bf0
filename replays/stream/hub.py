"""Live games over HTTP, as Server-Sent Events or NDJSON, from one small ASGI application.

It stands before Django (`config.asgi`), because a watcher must cost neither a thread nor a database connection: access
is checked once, then the watcher waits. One LISTEN connection for the process hears
`games.eventlog.store.announce_many`. On a notification the process reads the new events once, encodes them once for
each kind of viewer, and wakes the watchers. Watchers pull: each knows the version that it has, so there is no queue
that could overflow, and no event is missed or doubled. A notification may be lost, so every watched game is also read
on a slow timer. Watchers have no timers of their own: for a thousand of them these cost more than the bytes that they
send. `Hub.tick` does what depends on time, for all of them.

The stream begins with a line of type ``game`` that stands by itself (who sits where, and the observation at the version
from which the stream goes on). Then comes a line of type ``event`` for each version. A complete stream ends with
``over``. A stream that must end before says why in a last line of type ``end``; without either line the connection was
cut. SSE resumes from `Last-Event-ID`, NDJSON from `?since=`; both take `?viewpoint=`. `game_tail` has the lines
of one game.

With `?frames=1` lines of type ``frames`` stand in place of events: what `replay/?since=` would answer, in the watcher's
language. They are made once for each viewpoint and language, by the one reading of the game that an event costs
(`read_news`). A player's own stream also brings the `turn`, so that pages ask for nothing.

Players watching their own seat also get lines of type ``state``: which players are present, and a number that grows
whenever something other than an event has changed (a submitted bundle, presence). With frames it brings the new `turn`;
other clients ask for theirs again. For players these lines also replace the keep-alive. A line of type ``talk`` says
that somebody has said something at the table (`games.talk`). An open stream of a seat counts
as presence (`games.visibility.presence`). With `?stay=1` these lines go on after ``over``, because the players may want
a rematch.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, aclosing, asynccontextmanager, suppress
from functools import partial
from typing import Any, Final, TypeVar
from uuid import uuid4

import psycopg
from django.db import DEFAULT_DB_ALIAS, Error, connection, connections
from django.utils import translation

from games.accounts import access, tokens
from games.accounts.languages import language_of_scope
from games.common import disk_full
from games.common.endless_rules import rules_limit
from games.common.errors import DATABASE_AWAY_ERRORS, DomainError
from games.eventlog import store as eventlog
from games.visibility import acting, audience, presence
from replays.stream import player_feed
from replays.stream.bot_feed import bot_stream
from replays.stream.connections import (
    ENDED_CLOSING,
    ENDED_FAULT,
    ENDED_LEFT,
    ENDED_NOT_VISIBLE,
    Connections,
    set_reason,
    still_valid,
)
from replays.stream.game_tail import (
    KEEP_ALIVE,
    SSE,
    GameTail,
    TailFeed,
    Ticket,
    end_line,
    games_moved_on,
    opening_line,
    read_news,
    state_line,
    stream_line,
)
from replays.stream.stream_access import (
    ASKS_PATH,
    MY_GAMES_PATH,
    Scope,
    admit_bot,
    admit_to_my_games,
    admit_watcher,
    content_type_of,
)

logger = logging.getLogger(__name__)

# Pages of other sites may read streams, like the API (`config.http.public_reads`).
ANY_ORIGIN: Final = (b"access-control-allow-origin", b"*")

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
T = TypeVar("T")

KEEP_ALIVE_SECONDS = 15.0
POLL_SECONDS = 10.0
STALLED_SECONDS = 30.0
TICK_SECONDS = 1.0
DATABASE_THREADS = 2
RETRY_RANGE_MS = (500, 2500)  # milliseconds, at the end of a process


class Hub:
    """All games that are watched in one web process."""

    def __init__(self) -> None:
        self.tails: dict[int, GameTail] = {}
        self.threads = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="stream")
        self.reader = ThreadPoolExecutor(1, thread_name_prefix="events")  # new watchers do not delay events
        self.tasks: list[asyncio.Task[None]] = []
        self.readings: set[asyncio.Task[None]] = set()
        self.process = uuid4()
        self.lists = player_feed.PlayerFeeds(self, KEEP_ALIVE, KEEP_ALIVE_SECONDS)
        self.open = Connections()

    async def ask(self, question: Callable[..., T], *arguments: Any, by: ThreadPoolExecutor | None = None) -> T:
        """Run a function that reads the database, in one of a few threads; its connection is returned at once."""

        def answer() -> T:
            try:
                with rules_limit():
                    return question(*arguments)
            finally:
                connection.close()

        return await asyncio.get_running_loop().run_in_executor(by or self.threads, answer)

    def start(self) -> None:
        """Start listening, with the first watcher of the process."""
        if not self.tasks or any(task.done() for task in self.tasks):
            self.tasks = [asyncio.create_task(each) for each in (self.listen(), self.catch_up(), self.tick())]

    async def stop(self) -> None:
        """Stop listening, at the end of the process."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.tasks = []

    async def listen(self) -> None:
        """Listen for changed games; after a lost connection, connect again with a pause."""
        pause = 0.5
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(**connection_facts(), autocommit=True) as listening:
                    await listening.execute(f"LISTEN {eventlog.GAMES_CHANNEL}")
                    await listening.execute(f"LISTEN {access.ACCESS_CHANNEL}")
                    await listening.execute(f"LISTEN {audience.AUDIENCE_CHANNEL}")
                    pause = 0.5
                    for game_id in list(self.tails):
                        self.on_note(game_id)
                        self.on_talk(game_id)
                    self.lists.wake_all()
                    self.in_background(self.end_revoked_streams())
                    async for notice in listening.notifies():
                        if notice.channel == access.ACCESS_CHANNEL:
                            self.open.end([notice.payload])
                            continue
                        if notice.channel == audience.AUDIENCE_CHANNEL:
                            self.in_background(self.end_hidden_streams(int(notice.payload)))
                            continue
                        watched, _colon, state = notice.payload.partition(":")
                        if state == "talk":
                            self.on_talk(int(watched))
                            continue
                        self.on_note(int(watched), state=state == "state")
                        self.lists.on_note(int(watched))
            except psycopg.OperationalError as error:
                logger.warning(
                    "The stream lost its database connection. The next attempt is in %.1f s: %s", pause, error
                )
            await asyncio.sleep(pause)
            pause = min(pause * 2, 10)

    async def catch_up(self) -> None:
        """Find the changes of lost notifications."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            known = {game_id: len(tail.entries) for game_id, tail in self.tails.items() if not tail.over}
            with suppress(Error):
                unread = [game_id for game_id, tail in self.tails.items() if tail.stirred]  # the reading has failed
                for game_id in {*unread, *await self.ask(games_moved_on, known)}:
                    self.on_note(game_id)
                for tail in [tail for tail in self.tails.values() if tail.here or tail.players.total()]:
                    await self.sync_presence(tail)
                seated = {game_id: tail for game_id, tail in self.tails.items() if tail.players.total()}
                for game_id, present in (await self.ask(presence.present_in, list(seated))).items():
                    if present != seated[game_id].present:
                        self.on_note(game_id, state=True)
                await self.ask(presence.still_here, self.process)
                self.lists.wake_all()
                await self.end_revoked_streams()
                await self.end_hidden_streams()

    async def tick(self) -> None:
        """Do what depends on time: keep-alives, delayed events, the end of streams whose clients take nothing."""
        while True:
            await asyncio.sleep(TICK_SECONDS)
            for game_id, tail in list(self.tails.items()):
                if tail.tick(KEEP_ALIVE_SECONDS):
                    self.on_note(game_id)
            self.open.end_slow(STALLED_SECONDS)

    async def end_revoked_streams(self) -> None:
        """End the streams whose session, token or account is over."""
        if keys := self.open.keys():
            self.open.end(keys - await self.ask(still_valid, keys))

    async def end_hidden_streams(self, club_id: int | None = None) -> None:
        """End the streams of a club's games, or of all games, that their watchers may no longer see."""
        watched = {
            over: ticket
            for over, ticket in self.open.streams.items()
            if isinstance(ticket, Ticket)
            and ticket.game.audience_club_id is not None
            and club_id in (None, ticket.game.audience_club_id)
        }
        if watched:
            for over in await self.ask(no_longer_visible, watched):
                set_reason(over, ENDED_NOT_VISIBLE)

    def on_note(self, game_id: int, *, state: bool = False) -> None:
        """Read new events of a game that is watched here; with `state`, something other than an event has changed."""
        if tail := self.tails.get(game_id):
            tail.stirred |= state and tail.players.total() > 0
            self.in_background(self.read_new_events(tail))

    def on_talk(self, game_id: int) -> None:
        """Tell the players of a game that is watched here that somebody has said something. They read it themselves:
        each knows whose messages they do not want to read."""
        if tail := self.tails.get(game_id):
            tail.talk += 1
            tail.notify()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a task of the process, which ends when it is done and not when a watcher leaves."""
        task = asyncio.create_task(work)
        self.readings.add(task)
        task.add_done_callback(self.readings.discard)
        return task

    def in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task like `spawn`, which nobody waits for. If the database fails, the next look does its work."""

        async def tried() -> None:
            try:
                await work
            except DATABASE_AWAY_ERRORS as error:
                logger.warning("The watched games could not be read and are tried again: %s", error)

        self.spawn(tried())

    async def sync_presence(self, tail: GameTail) -> None:
        """Write which seats watch the game through this process at present, whatever an earlier attempt wrote."""
        async with tail.looking:
            for seat in [*tail.players, *tail.here]:
                if tail.players[seat] and seat not in tail.here:
                    await self.ask(presence.record_arrival, tail.game.pk, seat, self.process)
                    tail.here.add(seat)
                elif not tail.players[seat] and seat in tail.here:
                    await self.ask(presence.record_departure, tail.game.pk, seat, self.process)
                    tail.here.discard(seat)
        self.forget(tail)

    def forget(self, tail: GameTail) -> None:
        """Drop a game without watchers, after that has been written: not while an arrival is still being stored."""
        unused = not tail.watchers and not tail.here and not tail.looking.locked()
        if unused and self.tails.get(tail.game.pk) is tail:
            del self.tails[tail.game.pk]

    async def arrive(self, ticket: Ticket, tail: GameTail) -> None:
        """Register a player's stream; the first one of a seat in this process changes its presence."""
        if ticket.plays and isinstance(ticket.viewer, int):
            tail.players[ticket.viewer] += 1
            await asyncio.shield(self.spawn(self.sync_presence(tail)))

    def leave(self, ticket: Ticket, tail: GameTail) -> None:
        """Remove a player's stream; the last one of a seat ends its presence here."""
        if ticket.plays and isinstance(ticket.viewer, int):
            tail.players[ticket.viewer] -= 1
            self.in_background(self.sync_presence(tail))

    async def read_new_events(self, tail: GameTail) -> None:
        """Read the events that the tail does not have, and wake its watchers. Callers share a reading that has not
        begun, so many at once cost one."""
        if tail.next_reading is None:
            tail.next_reading = self.spawn(self.read(tail))
        await asyncio.shield(tail.next_reading)

    async def read(self, tail: GameTail) -> None:
        """Read once, after the reading in progress."""
        async with tail.reads:
            tail.next_reading = None
            stirred, tail.stirred = tail.stirred, False
            feeds = [feed for feed in tail.feeds.values() if feed.is_prepared]
            reading = partial(read_news, tail, feeds, stirred=stirred)
            try:
                found = await self.ask(reading, by=self.reader)
            except Exception:
                tail.stirred |= stirred
                raise
            tail.take(found, stirred=stirred)

    def prepare(self, ticket: Ticket, tail: GameTail) -> None:
        """Begin to make the frames that a new feed has from before, in another thread than the one that reads events: a
        long game takes a quarter of a second, and other games go on meanwhile."""
        feed = tail.feeds[ticket.feed] if ticket.frames else None
        if feed and not feed.is_prepared and not feed.preparation:
            feed.preparation = self.spawn(self.prepare_feed(tail, feed))

    async def begin(self, ticket: Ticket, tail: GameTail) -> None:
        """Read what a new watcher needs."""
        feed = tail.feeds[ticket.feed] if ticket.frames else None
        if feed and feed.preparation:
            await asyncio.shield(feed.preparation)
        await self.read_new_events(tail)

    async def prepare_feed(self, tail: GameTail, feed: TailFeed) -> None:
        """Do so for all who wait for a feed. What fails here fails again in a reading, which handles it."""
        with suppress(Exception):
            if not tail.entries:
                await self.read_new_events(tail)
            known, over = list(tail.entries), tail.over is not None
            await self.ask(partial(feed.prepare, tail.game, known, over=over))
        feed.is_prepared = True
        if feed.watchers > 1:  # who watched before goes on, also if the one who came has left
            self.in_background(self.read_new_events(tail))

    async def watch(self, ticket: Ticket) -> AsyncGenerator[bytes]:
        """Yield the bytes for one watcher: the opening line, every event, keep-alives, the end."""
        async with self.joined(ticket) as tail:
            version = min(ticket.since, tail.visible(ticket.viewer))
            with rules_limit(ticket.game.kind):
                opening = stream_line(ticket.form, opening_line(ticket, tail.entries[:version]))
            yield opening
            sent_state, sent_turn, over_is_sent, beats, talk = -1, None, False, tail.beats, tail.talk
            while True:
                changed = tail.changed
                feed = tail.feeds[ticket.feed] if ticket.frames else None
                until = feed.version if feed else tail.visible(ticket.viewer)
                turn = feed.turn if feed and feed.turn is not sent_turn else None
                sent_turn = turn or sent_turn
                if until > version:
                    since, version = version, until
                    if feed:
                        yield feed.line(ticket.form, tail, since, turn=turn is not None)
                        turn = None
                    else:
                        yield b"".join(tail.lines(ticket, since, until))
                if ticket.plays and (sent_state != tail.state or turn):
                    sent_state = tail.state
                    yield state_line(ticket, tail, turn)
                if ticket.plays and talk != tail.talk:
                    talk = tail.talk
                    yield stream_line(ticket.form, {"type": "talk"})
                if feed and feed.is_broken:
                    raise RuntimeError(f"The frames of game {tail.game.public_id} cannot be made.")
                if feed.has_left if feed else tail.has_left(ticket):
                    yield end_line(ticket.form, ENDED_LEFT)
                    return
                if tail.over and version == len(tail.entries) and not over_is_sent:
                    over_is_sent = True
                    yield stream_line(ticket.form, {"type": "over", "version": version, **tail.over})
                    if not ticket.stays:
                        return
                await changed.wait()
                if tail.beats != beats:
                    beats = tail.beats
                    yield state_line(ticket, tail) if ticket.plays else KEEP_ALIVE[ticket.form]

    async def watch_as_bot(self, ticket: Ticket) -> AsyncGenerator[bytes]:
        """Yield the bytes for a bot that answers for its seat (`replays.stream.bot_feed`)."""
        async with self.joined(ticket) as tail, aclosing(bot_stream(self, ticket, tail)) as lines:
            async for line in lines:
                yield line

    @asynccontextmanager
    async def joined(self, ticket: Ticket) -> AsyncGenerator[GameTail]:
        """Provide the game's tail while somebody watches it."""
        self.start()
        tail = self.tails.setdefault(ticket.game.pk, GameTail(ticket.game))
        tail.join(ticket)
        self.prepare(ticket, tail)  # at once: the new feed may be that of others, too, who stay if this one leaves
        try:
            await self.arrive(ticket, tail)
            await self.begin(ticket, tail)
            yield tail
        finally:
            tail.quit(ticket)
            self.leave(ticket, tail)
            self.forget(tail)


def connection_facts() -> dict[str, Any]:
    """Return the parameters with which psycopg reaches Django's database."""
    facts = connections[DEFAULT_DB_ALIAS].settings_dict
    wanted = {"host": "HOST", "port": "PORT", "dbname": "NAME", "user": "USER", "password": "PASSWORD"}
    return {name: facts[key] for name, key in wanted.items() if facts[key]}


def no_longer_visible(watched: Mapping[T, Ticket]) -> list[T]:
    """Return the watched games that their user may no longer see. Public games need no check."""
    private = audience.private_games({ticket.game.pk for ticket in watched.values()})
    of_user: dict[Any, list[tuple[T, Ticket]]] = {}
    for over, ticket in watched.items():
        if ticket.game.pk in private:
            of_user.setdefault((ticket.user.pk, acting.bot_of(ticket.user)), []).append((over, ticket))
    shut = []
    for tickets in of_user.values():
        shown = audience.still_visible({ticket.game.pk for _, ticket in tickets}, tickets[0][1].user)
        shut += [over for over, ticket in tickets if ticket.game.pk not in shown]
    return shut


hub = Hub()


async def stream_application(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one request of one watcher, as an ASGI application."""
    form = content_type_of(scope)
    assert form  # config.asgi has checked this before
    with ExitStack() as room:
        try:
            stream, chunks = await admit_and_stream(scope, form)
            with translation.override(language_of_scope(scope)):
                over = room.enter_context(hub.open.registered(stream))
        except DomainError as error:
            await send_error(error, send)
            return
        except DATABASE_AWAY_ERRORS as error:
            refused = await asyncio.to_thread(disk_full.unavailable_error, error)
            logger.warning("Answered %s: %s", refused.code, error)
            await send_error(refused, send)
            return
        await send_head(form, send)
        why = await forward_chunks(scope, chunks, over, receive, send)
    await send_end(form, why, send)


async def send_head(form: str, send: Send) -> None:
    """Send the response's head."""
    headers = [
        (b"content-type", f"{form}; charset=utf-8".encode()),
        (b"cache-control", b"no-store"),
        (b"x-accel-buffering", b"no"),
        ANY_ORIGIN,
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})


async def forward_chunks(
    scope: Scope, chunks: AsyncGenerator[bytes], over: asyncio.Future[str], receive: Receive, send: Send
) -> str:
    """Send everything until there is no more, the watcher leaves, or the stream must end.

    Returns the reason (`replays.stream.connections`); "" for a complete stream.
    """
    pouring = asyncio.create_task(send_stream(chunks, over, send))
    leaving = asyncio.create_task(wait_for_disconnect(receive))
    any_of: set[asyncio.Future[Any]] = {pouring, leaving, over}
    with suppress(asyncio.CancelledError):  # the server stops: watchers resume elsewhere
        await asyncio.wait(any_of, return_when=asyncio.FIRST_COMPLETED)
    for task in (pouring, leaving):
        task.cancel()
    poured, _ = await asyncio.gather(pouring, leaving, return_exceptions=True)
    if isinstance(poured, DATABASE_AWAY_ERRORS):
        refused = await asyncio.to_thread(disk_full.unavailable_error, poured)
        logger.warning("A watcher of %s was disconnected, %s: %s", scope["path"], refused.code, poured)
        return ENDED_FAULT
    if isinstance(poured, Exception):
        logger.error("A watcher of %s was disconnected because of a server error.", scope["path"], exc_info=poured)
        return ENDED_FAULT
    if poured is None:
        return ""
    return over.result() if over.done() else ENDED_CLOSING


async def send_end(form: str, why: str, send: Send) -> None:
    """Send the last line, with the reason if the stream is incomplete, and end the response."""
    last = end_line(form, why) if why else b""
    if why == ENDED_CLOSING and form == SSE:
        last += retry_hint()
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(STALLED_SECONDS):
            await send({"type": "http.response.body", "body": last, "more_body": False})


def retry_hint() -> bytes:
    """Return the SSE `retry` hint, different for each browser so that they do not reconnect all at once."""
    return b"retry: %d\n\n" % random.randint(*RETRY_RANGE_MS)


async def admit_and_stream(scope: Scope, form: str) -> tuple[Ticket | player_feed.Watcher, AsyncGenerator[bytes]]:
    """Return the result of the access check, and the bytes for that watcher. Raises `DomainError`."""
    if MY_GAMES_PATH.match(scope["path"]):
        watcher = await hub.ask(in_language, scope, admit_to_my_games, form)
        return watcher, hub.lists.watch(watcher)
    asked = ASKS_PATH.match(scope["path"])
    ticket = await hub.ask(in_language, scope, admit_bot if asked else admit_watcher, form)
    return ticket, hub.watch_as_bot(ticket) if asked else hub.watch(ticket)


def in_language(scope: Scope, admit: Callable[[Scope, str], T], form: str) -> T:
    """Return the result of an access check, whose errors are in the language of the request."""
    with translation.override(language_of_scope(scope)):
        return admit(scope, form)


async def send_stream(made: AsyncGenerator[bytes], over: asyncio.Future[str], send: Send) -> None:
    """Send a watcher their bytes. A client that takes none for a while is disconnected (`Connections.end_slow`), and
    may resume."""
    with suppress(OSError):
        async with aclosing(made) as chunks:
            async for chunk in chunks:
                hub.open.pending_sends[over] = time.monotonic()
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                del hub.open.pending_sends[over]


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when the watcher has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def send_error(error: DomainError, send: Send) -> None:
    """Send an error in the form of all API errors."""
    described = {"status": error.status, "code": error.code, "sentence": error.sentence, **error.extra}
    headers = [(b"content-type", b"application/json"), ANY_ORIGIN]
    if wait := error.extra.get("wait_s"):
        headers.append((b"retry-after", str(wait).encode()))
    if challenge := tokens.www_authenticate_value(described):
        headers.append((b"www-authenticate", challenge.encode()))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": described}).encode()})
