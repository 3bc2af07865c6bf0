"""A game of the lab: its players report each request, so that somebody can watch them, and it can be resumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from scorebook_games.bots.output import KeptOutput
from scorebook_games.bots.process import Fault
from scorebook_games.bots.protocol import START_TIMEOUT_MS
from scorebook_games.cli.players import BotPlayer, BuiltInPlayer
from scorebook_games.cli.table import Failure, Table
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.lab.bot import InterpretedBot

MAX_LIVE_CHARACTERS: Final = 4096  # of what a bot prints for one request; the rest is only reported after the answer
UNLIMITED: Final = 0  # the time of a built-in bot, in ms


class Watcher(Protocol):
    """Hears what goes on. A bot that hangs says nothing more, and the watcher knows since when, and for how long."""

    def asking(self, seat: int, version: int, limit_ms: int, entries: Sequence[RecordedEvent]) -> None:
        """Called before the player of `seat` is asked at `version`, with `limit_ms` for its answer, or `UNLIMITED`.
        `entries` are all events so far."""

    def answered(self, note: Note | None) -> None:
        """Called after its answer, with what it printed."""

    def heard(self, text: str) -> None:
        """Called with what the bot that is being asked prints."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a bot printed while it was asked at `version`."""

    seat: int
    version: int
    text: str


class FilePlayer(BotPlayer):
    """A bot's file at a table of the lab. `notes` has what it printed in this game."""

    def __init__(self, name: str, source: bytes, clock: dict[str, int], watcher: Watcher | None = None) -> None:
        super().__init__(name, lambda seed: InterpretedBot(source, seed, self.heard), clock)
        self.watcher = watcher
        self.hung: Fault | None = None  # how it failed at the request with which the game is resumed
        self.notes: list[Note] = []
        self.printed = KeptOutput()

    def begin(self, fold: Fold, seat: int, seed: int) -> None:
        self.notes = []
        self._asked(seat, fold, [], START_TIMEOUT_MS)
        try:
            super().begin(fold, seat, seed)
        finally:
            self._answered(seat, fold)

    def choose(self, fold: Fold, entries: Sequence[RecordedEvent]) -> list[str]:
        if self.hung:
            fault, self.hung = self.hung, None
            raise self.failed(fault)
        limit = int(self.clock["move_ms"] + self.bank_ms)
        self._asked(self.seat, fold, entries, limit if self.talk else limit + START_TIMEOUT_MS)
        try:
            return super().choose(fold, entries)
        finally:
            self._answered(self.seat, fold)

    def heard(self, text: str) -> None:
        """Take over what the bot prints."""
        room = MAX_LIVE_CHARACTERS - self.printed.size
        self.printed.add(text.encode("utf-8", "backslashreplace"))
        if self.watcher and room > 0:
            self.watcher.heard(text[:room])

    def _asked(self, seat: int, fold: Fold, entries: Sequence[RecordedEvent], limit_ms: int) -> None:
        self.printed = KeptOutput()
        if self.watcher:
            self.watcher.asking(seat, fold.version, limit_ms, entries)

    def _answered(self, seat: int, fold: Fold) -> None:
        note = None
        if self.printed.size:
            note = Note(seat, fold.version, self.printed.text().decode("utf-8", "replace"))
            self.notes.append(note)
        if self.watcher:
            self.watcher.answered(note)


class WatchedBuiltIn(BuiltInPlayer):
    """A built-in bot at a table of the lab."""

    def __init__(self, program: str, seed: bytes, watcher: Watcher) -> None:
        super().__init__(program, seed)
        self.watcher = watcher

    def choose(self, fold: Fold, entries: Sequence[RecordedEvent]) -> list[str]:
        self.watcher.asking(self.seat, fold.version, UNLIMITED, entries)
        return super().choose(fold, entries)


class ResumedTable(Table):
    """A game that goes on after the events and faults of another table, such as one whose interpreter was ended."""

    def resume(self, events: Sequence[tuple[int, list[Any]]], failures: Sequence[Failure]) -> None:
        """Take over the events after the opening, each with its time, and the faults. Those after the last event cost
        nothing yet: their bots fail in the same way when they are asked again."""
        for ms, event in events:
            self.fold.apply(event)
            self.entries.append(RecordedEvent(self.fold.version, ms, event))
        for failure in failures:
            player = self.players[failure.seat]
            if failure.version == self.fold.version and isinstance(player, FilePlayer):
                player.hung = failure.fault
            else:
                self.failures.append(failure)
