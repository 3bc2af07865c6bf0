"""A web process's state of one watched game, and the stream lines for each kind of viewer."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import translation

from games.clocks import services as clocks
from games.common import clock
from games.common.endless_rules import rules_limit
from games.common.errors import DATABASE_AWAY_ERRORS
from games.eventlog import store as eventlog
from games.models import Game, game_by_id, seat_players
from games.play import services as play
from games.play.turn import names_in, turn_of
from games.play.unit_of_work import GameUnit
from games.visibility import observe, presence
from games.visibility.audience import User
from replays.frames.feed import FrameFeed
from replays.frontend_build import build_id
from replays.stream.connections import NO_CREDENTIALS, Credentials
from scorebook_games.bots.protocol import WANTS
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import Log, RecordedEvent, events_of
from scorebook_games.gamelog.fold import Fold, fold_game

logger = logging.getLogger(__name__)

FeedKey = tuple[visibility.Viewpoint, bool, str]
SSE: Final = "text/event-stream"
NDJSON: Final = "application/x-ndjson"
KEEP_ALIVE: Final = {NDJSON: b"\n", SSE: b": still here\n\n"}
MAX_EVENTS_UNPREPARED: Final = 100  # of which frames are made so quickly that others can wait
MAX_STORED_LINES: Final = 8  # of one feed: nearly all watchers go on from the same version


@dataclass(frozen=True)
class Ticket:
    """The result of the access check: the game, the viewpoint, the version to start from, and the format.

    `facts` are those of the game that the viewer may know now (`observe.game_facts`). `plays`: the viewer is the
    requester's own seat. `stays`: the stream goes on after the game. `by` are the credentials, `user` the requester.
    `want` are the parts of a question that a bot wants. `frames`: lines have frames in `language` instead of events.
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
    frames: bool = False
    language: str = ""

    @property
    def feed(self) -> FeedKey:
        """Watchers with the same key see the same frames and the same turn."""
        return self.viewer, self.plays, self.language


class TailFeed(FrameFeed):
    """The frames of one feed of a game, and for a player the present `turn`, with the lines that were encoded.

    `is_broken`: its frames cannot be made. `is_prepared`: the frames of the game so far were made (`prepare`), so that
    a reading has only new ones to make.
    """

    def __init__(self, ticket: Ticket) -> None:
        super().__init__(ticket.viewer, ticket.since)
        self.seat = ticket.viewer if ticket.plays and isinstance(ticket.viewer, int) else None
        self.language = ticket.language
        self.watchers = 0
        self.turn: dict[str, Any] | None = None
        self.is_broken = False
        self.is_prepared = ticket.game.version <= MAX_EVENTS_UNPREPARED
        self.preparation: asyncio.Task[None] | None = None
        self._lines: dict[tuple[str, int, bool], bytes] = {}

    def prepare(self, game: Game, entries: Sequence[RecordedEvent], *, over: bool) -> None:
        """Make the frames of the game so far, which may take long. Watchers do not see them yet."""
        with translation.override(self.language or None):
            self.advance(entries[: visible_count(game, entries, self.viewer)], over=over)

    def forget_lines(self) -> None:
        """Encode lines once more, because they have other names now."""
        self._lines.clear()

    def publish(self, made: MadeFeed) -> bool:
        """Show watchers what was made; return whether it is new."""
        is_new = made.version != self.version or (made.turn is not None and made.turn is not self.turn)
        self.version, self.has_left, self.is_broken = made.version, made.has_left, made.is_broken
        self.turn = made.turn or self.turn
        if is_new or made.is_broken:
            self.forget_lines()
        return is_new or made.is_broken

    def line(self, form: str, tail: GameTail, since: int, *, turn: bool) -> bytes:
        """Return the line with the frames after `since`, encoded once for all watchers; with the turn if asked for."""
        place = (form, since, turn)
        if place not in self._lines:
            if len(self._lines) >= MAX_STORED_LINES:  # whoever opens a stream names a version of their own
                self._lines.clear()
            with translation.override(self.language or None), rules_limit(tail.game.kind):
                data = {"type": "frames", **self.news(tail.game.kind, tail.names, since)}
            if turn:
                data["turn"] = self.turn
            if tail.clock and self.version == len(tail.entries):
                data["clock"] = tail.clock
            self._lines[place] = stream_line(form, data)
        return self._lines[place]


class MadeFeed(NamedTuple):
    """What a reading made for a feed. `turn` is None if it stayed the same."""

    version: int
    has_left: bool
    turn: dict[str, Any] | None = None
    is_broken: bool = False


class Reading(NamedTuple):
    """What a tail did not have yet, by one look at the database: the batches, the outcome if there is one (nothing of a
    sealed result), the clocks if everybody watches without delay, the seats that are present, the players' names, and
    what was made for each feed."""

    news: Log
    over: dict[str, Any] | None
    clock: dict[str, Any] | None
    present: list[int]
    names: list[str]
    feeds: list[tuple[TailFeed, MadeFeed]]


@dataclass
class GameTail:
    """One watched game, shared by all its watchers in this process.

    - `log` is its log so far, `entries` its events, and `reading` the state of its clocks.
    - `ready` holds the encoded bytes of each entry for each kind of viewer and format. `over` is the outcome once there
      is one; `clock` is the public state of the clocks after the last of `entries`.
    - `feeds` are the frames that are watched, `names` those of the players.
    - `talk` counts messages at the table.
    - `state` counts changes other than events. `stirred`: something of that sort may have changed, at which the next
      reading looks.
    - `present` are the seats that are present, `players` counts the watchers of each seat in this process, and `here`
      are the seats that this process has registered in the database.
    - `beats` counts keep-alives, the last of which was sent at `beaten`; `matured` is how many events the public may
      have.
    """

    game: Game
    log: Log = field(default_factory=list)
    entries: list[RecordedEvent] = field(default_factory=list)
    reading: clocks.ClockReading | None = None
    ready: dict[tuple[visibility.Viewpoint, str], tuple[Fold, list[bytes]]] = field(default_factory=dict)
    over: dict[str, Any] | None = None
    clock: dict[str, Any] | None = None
    watchers: int = 0
    talk: int = 0
    state: int = 0
    stirred: bool = False
    feeds: dict[FeedKey, TailFeed] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
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

    def tick(self, keep_alive: float) -> bool:
        """Wake the watchers for what depends on time: a keep-alive each `keep_alive` seconds, and events whose delay
        has passed. Return whether frames of such events are to be made."""
        alive = time.monotonic() - self.beaten >= keep_alive
        if alive:
            self.beats, self.beaten = self.beats + 1, time.monotonic()
        matured, self.matured = self.matured, self.visible(visibility.PUBLIC) if self.game.terms["watch_delay"] else 0
        if alive or self.matured != matured:
            self.notify()
        return self.matured != matured and bool(self.feeds)

    def join(self, ticket: Ticket) -> None:
        """Add a watcher. The next reading makes the frames that they need."""
        self.watchers += 1
        if not ticket.frames:
            return
        feed = self.feeds.get(ticket.feed)
        if feed is None or feed.is_broken or ticket.since < feed.since:
            self.feeds[ticket.feed] = TailFeed(ticket)
            self.feeds[ticket.feed].watchers = feed.watchers if feed else 0
        self.feeds[ticket.feed].watchers += 1
        self.stirred |= ticket.plays  # the turn has the time of its reading

    def quit(self, ticket: Ticket) -> None:
        """Remove a watcher."""
        self.watchers -= 1
        if ticket.frames:
            feed = self.feeds[ticket.feed]
            feed.watchers -= 1
            if not feed.watchers:
                del self.feeds[ticket.feed]

    def take(self, found: Reading, *, stirred: bool) -> None:
        """Take a reading, and wake the watchers if there is something new for them."""
        self.log += found.news
        self.entries += events_of(found.news)
        self.over = found.over
        self.clock = found.clock if found.news else self.clock
        if found.names != self.names:
            self.names = found.names
            for feed in self.feeds.values():
                feed.forget_lines()
        changed = stirred or found.present != self.present
        self.present = found.present
        self.state += changed
        fresh = [feed.publish(made) for feed, made in found.feeds]
        if found.news or found.over or changed or any(fresh):
            self.notify()

    def visible(self, viewer: visibility.Viewpoint) -> int:
        """Return how many events `viewer` may have now; the public watches with the delay of the game's terms."""
        return visible_count(self.game, self.entries, viewer)

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
    place = data["version"] if data["type"] in ("event", "frames") else data.get("id")
    identity = f"id: {place}\n" if place is not None else ""
    return f"{identity}event: {data['type']}\ndata: {text}\n\n".encode()


def state_line(ticket: Ticket, tail: GameTail, turn: dict[str, Any] | None = None) -> bytes:
    """Return the line about changes other than events. `events` is the length of the log, so that players notice
    missing ones. It has the `turn` if that is given."""
    data = {"type": "state", "number": tail.state, "events": len(tail.entries), "present": tail.present}
    return stream_line(ticket.form, {**data, "turn": turn} if turn else data)


def end_line(form: str, why: str) -> bytes:
    """Return the last line of an incomplete stream, with its reason (`replays.stream.connections`)."""
    return stream_line(form, {"type": "end", "why": why})


def opening_line(ticket: Ticket, known: list[RecordedEvent]) -> dict[str, Any]:
    """Return a stream's first line, which depends on nothing before: the game as `known` events leave it. Whoever gets
    frames has the observation already."""
    fold = fold_game(entry.event for entry in known) if known and not ticket.frames else None
    return {
        "type": "game",
        "game": ticket.facts,
        **dict.fromkeys(("viewpoint", "eyes"), observe.viewpoint_text(ticket.viewer)),  # the latter as in 0.1.0
        "build": build_id(),
        "version": len(known),
        "observation": visibility.observation(fold, ticket.viewer) if fold else None,
    }


def read_news(tail: GameTail, feeds: Sequence[TailFeed] = (), *, stirred: bool = False) -> Reading:
    """Read what a tail does not have yet, and make the frames and turns of `feeds`, each once for all its watchers.

    With `stirred`, turns are made again although nothing may have happened. What the tail knows of its clocks is moved
    on.
    """
    game = game_by_id(tail.game.pk)
    over = None
    if game.status != Game.Status.PLAYING:
        over = {"status": game.status, "outcome": None if observe.is_sealed(game) else game.outcome}
    news = eventlog.read_log(game.stream_id, after=len(tail.entries))
    log = [*tail.log, *news]
    if tail.reading is None:
        tail.reading = clocks.ClockReading(game, log)
    tail.reading.take(game, news)
    fold = tail.reading.reckoning.fold
    clock_data = None
    shown = clocks.has_clocks(game) and not game.terms["watch_delay"] and not game.terms["sealed"]
    if shown and news and not over:
        clock_data = clocks.clock_data(game, news, fold, visibility.PUBLIC, clock.now(), tail.reading)
    present = tail.present if tail.players.total() else []
    if present is tail.present and stirred:  # what changes presence stirs, and `catch_up` sees who has vanished
        present = presence.present_seats(game)
    unit = GameUnit(game, fold, play.programs_of(tail.reading.roster, fold), log)
    unit.reading = tail.reading
    unit.roster = seat_players(game)  # who sits there stays the same, but not what they are called
    entries = [*tail.entries, *events_of(news)]
    fresh = bool(news) or stirred or present != tail.present
    made = [(feed, make_feed(feed, unit, entries, present, fresh=fresh)) for feed in feeds]
    return Reading(news, over, clock_data, present, names_in(unit), made)


def make_feed(
    feed: TailFeed, unit: GameUnit, entries: Sequence[RecordedEvent], present: Sequence[int], *, fresh: bool
) -> MadeFeed:
    """Make the frames of a feed up to what its viewer may know now, and a player's turn if it is to be `fresh`."""
    game = unit.game
    try:
        with translation.override(feed.language or None):
            known = entries[: visible_count(game, entries, feed.viewer)]
            version, left = feed.advance(known, over=game.status != Game.Status.PLAYING)
            turn = None
            if feed.seat is not None and not left and (fresh or feed.turn is None):
                turn = turn_of(unit, feed.seat, present=present)
            return MadeFeed(version, left, turn)
    except DATABASE_AWAY_ERRORS:
        raise
    except Exception:
        logger.exception("The frames of game %s for %s cannot be made.", game.public_id, feed.viewer)
        return MadeFeed(feed.version, feed.has_left, is_broken=True)


def visible_count(game: Game, entries: Sequence[RecordedEvent], viewer: visibility.Viewpoint) -> int:
    """Return how many of a game's first events `viewer` may know now."""
    until = observe.visible_until_ms(game, viewer)
    return len(entries) if until is None else sum(entry.ms <= until for entry in entries)


def games_moved_on(known: dict[int, int]) -> list[int]:
    """Return which games (id → version known here) have newer events or have ended."""
    rows = Game.objects.filter(pk__in=known).values_list("pk", "version", "status")
    return [pk for pk, version, status in rows if version > known[pk] or status != Game.Status.PLAYING]
