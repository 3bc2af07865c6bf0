"""A game in a worker: what is not stored of it yet, and who is asked next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from games.common import clock
from games.common.models import Incident
from games.models import BotVersion, Game, PendingBundle
from games.play.unit_of_work import GameUnit
from games.workers import kept_processes
from games.workers.models import BotResponseTimes
from games.workers.sandboxed_bot import Choice, Failure, SandboxedBot
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.gamelog.events import RecordedEvent, events_of
from scorebook_games.gamelog.terms import BEATS, LIVE
from scorebook_games.presentation.coded_text import Sentence


class BotFailed(Exception):
    """A game cannot go on: a built-in bot failed, or the platform under an uploaded one. `detail` is for admins."""

    def __init__(self, sentence: Sentence, cause: Incident.Cause, detail: str) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence
        self.cause = cause
        self.detail = detail


class KindHangs(BotFailed):
    """The rules of the game's kind did not come to an end. What was played since the last chunk may be half a move."""

    def __init__(self, game: Game, sentence: Sentence, detail: str) -> None:
        super().__init__(sentence, Incident.Cause.INFRASTRUCTURE, detail)
        self.game = game


@dataclass(eq=False, slots=True)
class GameSession:
    """A game in this worker: what is not stored of it yet, and when it goes on (monotonic seconds).

    - `passed`: the seats that could have moved in this position and did not want to.
    - `bundles`: those that people have given for the next beat.
    - `paused_until`: on the pace "live", until when each seat is left alone.
    - `sandboxed_bots`: the uploaded bots by seat; `versions` are theirs.
    - `slow`: those of them whose last answer came too late.
    - `answers`: what some bots have answered for a beat for which others must still be asked.
    """

    attempt: int
    unit: GameUnit
    dealer: SeedDealer
    due: float = 0.0
    failure: BotFailed | None = None
    passed: set[int] = field(default_factory=set)
    bundles: list[PendingBundle] = field(default_factory=list)
    paused_until: dict[int, float] = field(default_factory=dict)
    versions: dict[int, BotVersion] = field(default_factory=dict)
    sandboxed_bots: dict[int, SandboxedBot] = field(default_factory=dict)
    slow: dict[int, Failure] = field(default_factory=dict)
    answers: dict[int, Choice | Failure] = field(default_factory=dict)

    @property
    def game(self) -> Game:
        return self.unit.game

    @property
    def entries(self) -> list[RecordedEvent]:
        """Return the game's events so far."""
        return events_of(self.unit.grown_log)

    @property
    def seat(self) -> int | None:
        """Return the seat that a program moves next; None if the runner can do nothing more."""
        if self.failure:
            return None
        fold, programs = self.unit.fold, self.unit.programs
        seats = [seat for seat in fold.to_act() if seat in programs and seat not in self.passed]
        if not seats or (fold.pace == BEATS and not self._all_gave()):
            return None
        return seats[0] if fold.pace != LIVE else min(seats, key=lambda seat: self.paused_until.get(seat, 0.0))

    def _all_gave(self) -> bool:
        """Return whether every person that the next beat waits for has given a bundle."""
        gave = {bundle.seat for bundle in self.bundles}
        return all(seat in gave or seat in self.unit.programs for seat in self.unit.fold.awaited())

    @property
    def unstored(self) -> bool:
        """Return whether there are events to store."""
        return bool(self.unit.events) and not isinstance(self.failure, KindHangs)

    def take(self, events: Sequence[Event]) -> None:
        """Move the game on. Seats that passed may want to move now, and seats that left are no longer asked."""
        self.unit.take(events, clock.now())
        self.passed.clear()
        if self.sandboxed_bots:
            fold = self.unit.fold
            self.unit.programs.update(fold.taken_over)
            for seat in self.sandboxed_bots.keys() & set(fold.left):
                self.sandboxed_bots.pop(seat).close()

    def close(self) -> None:
        """End the bots' processes."""
        for sandboxed in self.sandboxed_bots.values():
            sandboxed.close()

    def release_game(self) -> None:
        """Release the game. Its bots' processes are kept if it goes on from what they know."""
        if self.failure or self.unit.events or self.unit.fold.outcome():
            self.close()
            return
        for seat, sandboxed in self.sandboxed_bots.items():
            kept_processes.keep_process(self.game.public_id, seat, sandboxed)

    def store_times(self) -> None:
        """Store how long the bots' answers took, and their processor time."""
        asks = [
            (seat, sandboxed)
            for seat, sandboxed in self.sandboxed_bots.items()
            if sandboxed.times or sandboxed.cpu_ms > sandboxed.cpu_ms_before
        ]
        BotResponseTimes.objects.bulk_create(
            BotResponseTimes(
                bot_version=self.versions[seat],
                game=self.game,
                seat=seat,
                at=clock.now(),
                times=sandboxed.times,
                slowest_at=sandboxed.slowest_at,
                cpu_ms=round(sandboxed.cpu_ms - sandboxed.cpu_ms_before),
            )
            for seat, sandboxed in asks
        )
