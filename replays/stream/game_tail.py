"""A web process's state of one watched game, and the stream lines for each kind of viewer."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.core.serializers.json import DjangoJSONEncoder

from games.clocks import services as clocks
from games.common import clock
from games.common.endless_rules import rules_limit
from games.eventlog import store as eventlog
from games.models import Game
from games.visibility import observe
from games.visibility.audience import User
from replays.frontend_build import build_id
from replays.stream.connections import NO_CREDENTIALS, Credentials
from scorebook_games.bots.protocol import WANTS
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import Log, RecordedEvent
from scorebook_games.gamelog.fold import Fold, fold_game

SSE: Final = "text/event-stream"
NDJSON: Final = "application/x-ndjson"
KEEP_ALIVE: Final = {NDJSON: b"\n", SSE: b": still here\n\n"}


@dataclass(frozen=True)
class Ticket:
    """The result of the access check: the game, the viewpoint, the version to start from, and the format.

    `facts` are those of the game that the viewer may know now (`observe.game_facts`). `plays`: the viewer is the
    requester's own seat. `stays`: the stream goes on after the game. `by` are the credentials, `user` the requester.
    `want` are the parts of a question that a bot wants.
    """

    game: Game
    viewer: visibility.Viewpoint
    since: int
    form: str
    facts: dict[str, Any]
    plays: bool = False
    stays: bool = False
    by: Credentials = NO_CREDENTIALS
    want: tuple[str, ...] = WANTS
    user: User = field(default_factory=AnonymousUser)


@dataclass
class GameTail:
    """One watched game, shared by all its watchers in this process.

    `log` is its log so far, `entries` its events, and `reading` the state of its clocks if they are shown. `ready`
    holds the encoded bytes of each entry for each kind of viewer and format. `over` is the outcome once there is one;
    `clock` is the public state of the clocks after the last of `entries`. `state` counts changes other than events.
    `present` are the seats that are present, `players` counts the watchers of each seat in this process, and `here` are
    the seats that this process has registered in the database. `beats` counts keep-alives, the last of which was sent
    at `beaten`; `matured` is how many events the public may have.
    """

    game: Game
    log: Log = field(default_factory=list)
    entries: list[RecordedEvent] = field(default_factory=list)
    reading: clocks.ClockReading | None = None
    ready: dict[tuple[visibility.Viewpoint, str], tuple[Fold, list[bytes]]] = field(default_factory=dict)
    over: dict[str, Any] | None = None
    clock: dict[str, Any] | None = None
    watchers: int = 0
    state: int = 0
    present: list[int] = field(default_factory=list)
    players: Counter[int] = field(default_factory=Counter)
    here: set[int] = field(default_factory=set)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    beats: int = 0
    beaten: float = field(default_factory=time.monotonic)
    matured: int = 0
    next_reading: asyncio.Task[None] | None = None
    reads: asyncio.Lock = field(default_factory=asyncio.Lock)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def notify(self) -> None:
        """Wake all waiting watchers, and make a new event for the next wait."""
        self.changed.set()
        self.changed = asyncio.Event()

    def tick(self, keep_alive: float) -> None:
        """Wake the watchers for what depends on time: a keep-alive each `keep_alive` seconds, and events whose delay
        has passed."""
        alive = time.monotonic() - self.beaten >= keep_alive
        if alive:
            self.beats, self.beaten = self.beats + 1, time.monotonic()
        matured, self.matured = self.matured, self.visible(visibility.PUBLIC) if self.game.terms["watch_delay"] else 0
        if alive or self.matured != matured:
            self.notify()

    def visible(self, viewer: visibility.Viewpoint) -> int:
        """Return how many events `viewer` may have now; the public watches with the delay of the game's terms."""
        until = observe.visible_until_ms(self.game, viewer)
        return len(self.entries) if until is None else sum(entry.ms <= until for entry in self.entries)

    def lines(self, ticket: Ticket, after: int, until: int) -> list[bytes]:
        """Return the encoded bytes of versions `after` + 1 … `until`."""
        kind = (ticket.viewer, ticket.form)
        if kind not in self.ready:
            with rules_limit(self.game.kind):
                self.ready[kind] = (Fold(self.entries[0].event), [])
        fold, made = self.ready[kind]
        if len(made) < until:
            with rules_limit(self.game.kind):
                self.make_lines(ticket, fold, made, until)
        return made[after:until]

    def make_lines(self, ticket: Ticket, fold: Fold, made: list[bytes], until: int) -> None:
        """Add the lines of the versions up to `until` to those that are made."""
        for entry in self.entries[len(made) : until]:
            if entry.version > 1:
                fold.apply(entry.event)
            data = event_line(fold, entry, ticket.viewer)
            if self.clock and entry.version == len(self.entries):
                data["clock"] = self.clock
            made.append(stream_line(ticket.form, data))

    def has_left(self, ticket: Ticket) -> bool:
        """Return whether the watched seat has left the running game; it then sees what the public sees."""
        fold, _lines = self.ready.get((ticket.viewer, ticket.form), (None, []))
        return fold is not None and self.over is None and ticket.viewer in fold.left


def event_line(fold: Fold, entry: RecordedEvent, viewer: visibility.Viewpoint) -> dict[str, Any]:
    """Return an event and what `viewer` may know after it. `fold` stands directly after the event."""
    shown = visibility.event_as_seen(fold, entry.event, viewer)
    return {
        "type": "event",
        "version": entry.version,
        "ms": entry.ms,
        "event": visibility.readable_event(fold.rules, shown),
        "observation": visibility.observation(fold, viewer),
    }


def stream_line(form: str, data: dict[str, Any]) -> bytes:
    """Return one line of a stream. In SSE its `type` is the event's name, and its `version` or `id` is the id to resume
    from."""
    text = json.dumps(data, separators=(",", ":"), cls=DjangoJSONEncoder)
    if form == NDJSON:
        return f"{text}\n".encode()
    place = data["version"] if data["type"] == "event" else data.get("id")
    identity = f"id: {place}\n" if place is not None else ""
    return f"{identity}event: {data['type']}\ndata: {text}\n\n".encode()


def state_line(ticket: Ticket, tail: GameTail) -> bytes:
    """Return the line about changes other than events. `events` is the length of the log, so that players notice
    missing ones."""
    data = {"type": "state", "number": tail.state, "events": len(tail.entries), "present": tail.present}
    return stream_line(ticket.form, data)


def end_line(form: str, why: str) -> bytes:
    """Return the last line of an incomplete stream, with its reason (`replays.stream.connections`)."""
    return stream_line(form, {"type": "end", "why": why})


def opening_line(ticket: Ticket, known: list[RecordedEvent]) -> dict[str, Any]:
    """Return a stream's first line, which depends on nothing before: the game as `known` events leave it."""
    fold = fold_game(entry.event for entry in known) if known else None
    return {
        "type": "game",
        "game": ticket.facts,
        "eyes": observe.viewpoint_text(ticket.viewer),
        "build": build_id(),
        "version": len(known),
        "observation": visibility.observation(fold, ticket.viewer) if fold else None,
    }


def read_news(tail: GameTail) -> tuple[Log, dict[str, Any] | None, dict[str, Any] | None]:
    """Return the batches that a tail does not have yet, the outcome if there is one (nothing of a sealed result), and
    the clocks if everybody watches without delay.

    What the tail knows of its clocks is moved on.
    """
    game = Game.objects.select_related("deal").get(pk=tail.game.pk)
    over = None
    if game.status != Game.Status.PLAYING:
        over = {"status": game.status, "outcome": None if observe.is_sealed(game) else game.outcome}
    news = eventlog.read_log(game.stream_id, after=len(tail.entries))
    shown = clocks.has_clocks(game) and not game.terms["watch_delay"] and not game.terms["sealed"]
    if over or not news or not shown:
        return news, over, None
    if tail.reading is None:
        tail.reading = clocks.ClockReading(game, [*tail.log, *news])
    tail.reading.reckoning.take_new(news)
    fold = tail.reading.reckoning.fold
    return news, over, clocks.clock_data(game, news, fold, visibility.PUBLIC, clock.now(), tail.reading)


def games_moved_on(known: dict[int, int]) -> list[int]:
    """Return which games (id → version known here) have newer events or have ended."""
    rows = Game.objects.filter(pk__in=known).values_list("pk", "version", "status")
    return [pk for pk, version, status in rows if version > known[pk] or status != Game.Status.PLAYING]
