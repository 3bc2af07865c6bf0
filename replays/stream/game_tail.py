"""What a web process knows of one watched game, and the lines that it makes of it for each kind of viewer."""

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
from games.clocks.reckoning import Reckoning
from games.common import clock
from games.eventlog import store as eventlog
from games.gamelog import visibility
from games.gamelog.events import Log, RecordedEvent
from games.gamelog.fold import Fold, fold_game
from games.models import Game
from games.programs.protocol import WANTS
from games.visibility import observe
from games.visibility.audience import User
from replays.frontend_build import build_id
from replays.stream.connections import NO_CREDENTIALS, Credentials

SSE: Final = "text/event-stream"
NDJSON: Final = "application/x-ndjson"
KEEP_ALIVE: Final = {NDJSON: b"\n", SSE: b": still here\n\n"}


@dataclass(frozen=True)
class Ticket:
    """What the one check of access found: which game, through whose eyes, from which version on, in which form.

    `facts` are the game's, as that viewer may know them at that moment (`observe.game_facts`). `plays` says that the
    viewer is the seat of who asks, `stays` that they stay when the game is over. `by` is what opened the stream; `want`
    are the parts of an ask that a bot wants; `user` is who asked.
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
    """One watched game, shared by everybody who watches it in this process.

    `log` is its log so far, `entries` are the events of it, and `reckoning` is that of its clocks where they are shown;
    `ready` holds the bytes of each entry, for each kind of viewer and each form; `over` is the outcome once there is
    one, `clock` what everybody may know of the clocks after the last of `entries`. `state` counts what has changed
    besides, `present` are the seats that are here, `players` how many watch each seat through this process, and `here`
    the seats of which the database has been told so. `beats` counts the signs of life, of which the last one was at
    `beaten`; `matured` is how many events the public might have then.
    """

    game: Game
    log: Log = field(default_factory=list)
    entries: list[RecordedEvent] = field(default_factory=list)
    reckoning: Reckoning | None = None
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
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def notify(self) -> None:
        """Wake everybody who waits, and let the next ones wait anew."""
        self.changed.set()
        self.changed = asyncio.Event()

    def tick(self, keep_alive: float) -> None:
        """Wake them for what time alone brings: a sign of life each `keep_alive` seconds, and events of which the delay
        that the terms set is over."""
        alive = time.monotonic() - self.beaten >= keep_alive
        if alive:
            self.beats, self.beaten = self.beats + 1, time.monotonic()
        matured, self.matured = self.matured, self.visible(visibility.PUBLIC) if self.game.terms["watch_delay"] else 0
        if alive or self.matured != matured:
            self.notify()

    def visible(self, viewer: visibility.Viewpoint) -> int:
        """How many events `viewer` may have by now: the public watches with the delay that the terms set."""
        until = observe.visible_until_ms(self.game, viewer)
        return len(self.entries) if until is None else sum(entry.ms <= until for entry in self.entries)

    def lines(self, ticket: Ticket, after: int, until: int) -> list[bytes]:
        """The ready bytes of versions `after` + 1 … `until`."""
        kind = (ticket.viewer, ticket.form)
        if kind not in self.ready:
            self.ready[kind] = (Fold(self.entries[0].event), [])
        fold, made = self.ready[kind]
        for entry in self.entries[len(made) : until]:
            if entry.version > 1:
                fold.apply(entry.event)
            data = event_line(fold, entry, ticket.viewer)
            if self.clock and entry.version == len(self.entries):
                data["clock"] = self.clock
            made.append(stream_line(ticket.form, data))
        return made[after:until]

    def has_left(self, ticket: Ticket) -> bool:
        """Whether the seat that is watched has left a game that is on: what comes now is for the public's eyes."""
        fold, _lines = self.ready.get((ticket.viewer, ticket.form), (None, []))
        return fold is not None and self.over is None and ticket.viewer in fold.left


def event_line(fold: Fold, entry: RecordedEvent, viewer: visibility.Viewpoint) -> dict[str, Any]:
    """One event and what `viewer` may know after it; `fold` stands just after the event."""
    shown = visibility.event_as_seen(fold, entry.event, viewer)
    return {
        "type": "event",
        "version": entry.version,
        "ms": entry.ms,
        "event": visibility.readable_event(fold.rules, shown),
        "observation": visibility.observation(fold, viewer),
    }


def stream_line(form: str, data: dict[str, Any]) -> bytes:
    """One line of a stream; as SSE its `type` is the event's name, and its `version` or `id` what it resumes from."""
    text = json.dumps(data, separators=(",", ":"), cls=DjangoJSONEncoder)
    if form == NDJSON:
        return f"{text}\n".encode()
    place = data["version"] if data["type"] == "event" else data.get("id")
    identity = f"id: {place}\n" if place is not None else ""
    return f"{identity}event: {data['type']}\ndata: {text}\n\n".encode()


def state_line(ticket: Ticket, tail: GameTail) -> bytes:
    """What players are told besides events; `events` is how many the log has, so that they can tell what they miss."""
    data = {"type": "state", "number": tail.state, "events": len(tail.entries), "present": tail.present}
    return stream_line(ticket.form, data)


def end_line(form: str, why: str) -> bytes:
    """The last line of a stream that is not whole, and why it ends (`replays.stream.connections`)."""
    return stream_line(form, {"type": "end", "why": why})


def opening_line(ticket: Ticket, known: list[RecordedEvent]) -> dict[str, Any]:
    """A stream's first line, which needs nothing from before: the game, and what `known` events left to be seen."""
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
    """The batches that a tail does not have yet, how the game ended once it has (nothing of a sealed result), and the
    clocks after them, where everybody watches at once. The tail's reckoning is moved on by what is new."""
    game = Game.objects.select_related("deal").get(pk=tail.game.pk)
    over = None
    if game.status != Game.Status.PLAYING:
        over = {"status": game.status, "outcome": None if observe.is_sealed(game) else game.outcome}
    news = eventlog.read_log(game.stream_id, after=len(tail.entries))
    shown = clocks.has_clocks(game) and not game.terms["watch_delay"] and not game.terms["sealed"]
    if over or not news or not shown:
        return news, over, None
    if tail.reckoning is None:
        tail.reckoning = clocks.reckon_game(game, [*tail.log, *news])
    tail.reckoning.take_new(news)
    fold = tail.reckoning.fold
    return news, over, clocks.clock_data(game, news, fold, visibility.PUBLIC, clock.now(), tail.reckoning)


def games_moved_on(known: dict[int, int]) -> list[int]:
    """Which of the games (id → version known here) have moved on or ended."""
    rows = Game.objects.filter(pk__in=known).values_list("pk", "version", "status")
    return [pk for pk, version, status in rows if version > known[pk] or status != Game.Status.PLAYING]
