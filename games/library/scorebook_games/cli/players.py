"""Who sits at a local table: a bot in its process, or a built-in bot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from games.bots.sdk.process import Fault, LocalProcess
from games.engines.base import Outcome
from games.gamelog.events import RecordedEvent
from games.gamelog.fold import Fold
from games.gamelog.terms import BEATS
from games.gamelog.visibility import outcome_data
from games.programs import conversation, requests
from games.programs.conversation import Conversation, IllegalAnswer
from games.programs.protocol import START_TIMEOUT_MS, BadReply, Ready, encode_line, over_line


class Player(Protocol):
    """Somebody in a seat of a local game."""

    @property
    def name(self) -> str:
        """What results and replays call it."""

    def begin(self, fold: Fold, seat: int, seed: int) -> None:
        """A game begins. Raises `Fault`."""

    def choose(self, fold: Fold, entries: Sequence[RecordedEvent]) -> list[str]:
        """Its move, or in beats its bundle; always legal. Raises `Fault`."""

    def end(self, outcome: Outcome) -> None:
        """The game has ended."""


class BuiltInPlayer:
    """A built-in bot; its chance is drawn from `seed`."""

    def __init__(self, program: str, seed: bytes) -> None:
        self.name = program
        self.seed = seed
        self.seat = 0

    def begin(self, fold: Fold, seat: int, seed: int) -> None:  # noqa: ARG002
        self.seat = seat

    def choose(self, fold: Fold, entries: Sequence[RecordedEvent]) -> list[str]:  # noqa: ARG002
        if fold.pace == BEATS:
            return requests.bundle(fold, self.seat, self.name, self.seed)
        return [fold.rules.move_text(fold.state, requests.action(fold, self.seat, self.name, self.seed))]

    def end(self, outcome: Outcome) -> None:
        pass


@dataclass(slots=True)
class Times:
    """What each answer of a bot took, in milliseconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    asks: int = 0  # those without an answer too, of which there is no time


class BotPlayer:
    """A bot in a process of its own, a new one for each game and after a fault that ends it."""

    def __init__(self, name: str, start: Callable[[int], LocalProcess], clock: dict[str, int]) -> None:
        self.name = name
        self.start = start
        self.clock = clock
        self.process: LocalProcess | None = None
        self.talk: Conversation | None = None
        self.ready = Ready()
        self.seat, self.seed = 0, 0
        self.bank_ms, self.cpu_ms = 0.0, 0.0
        self.left_ms = 0.0  # of the time for this answer, with all that is said to the question
        self.times = Times()
        self.stray = b""  # what the processes of earlier games have written without being asked

    def begin(self, fold: Fold, seat: int, seed: int) -> None:
        """Start a process and say hello."""
        self.stray = self.unasked()
        self.close()
        self.seat, self.seed = seat, seed
        self.bank_ms, self.cpu_ms = float(self.clock["bank_ms"]), float(self.clock["cpu_ms"])
        self._greet(fold)

    def choose(self, fold: Fold, entries: Sequence[RecordedEvent]) -> list[str]:
        """Its answer. After a fault a new process is told the whole game, as after a worker's death."""
        if self.talk is None:
            self._greet(fold)
        assert self.talk
        self.left_ms = self.clock["move_ms"] + self.bank_ms
        try:
            return conversation.choose_moves(self.talk, fold, entries, self.clock_ms, self.exchange)
        except BadReply as bad:
            raise self.failed(Fault("bad_reply", {"reason": bad.reason})) from bad
        except IllegalAnswer as illegal:
            evidence = {
                "reason": illegal.sentence,
                "move": illegal.move,
                "clause": illegal.clause,
                "legal": illegal.legal,
            }
            raise Fault("illegal_move", evidence, self.stderr()) from illegal
        except Fault as fault:
            raise self.failed(fault) from fault
        finally:
            self.bank_ms = min(self.bank_ms, max(0.0, self.left_ms))

    def end(self, outcome: Outcome) -> None:
        """Tell it how the game ended, and let it end by itself."""
        if self.process and self.talk:
            self.process.tell(encode_line(over_line(outcome_data(outcome))))
            self.process.wait()

    def close(self) -> None:
        """End its process."""
        if self.process:
            self.process.close()
        self.process = self.talk = None

    def stderr(self) -> bytes:
        """What it has written to its standard error."""
        return self.process.stderr() if self.process else b""

    def unasked(self) -> bytes:
        """What it has written to the protocol without being asked, as far as that has come."""
        return self.stray + (self.process.unasked() if self.process else b"")

    def clock_ms(self) -> int:
        """How long its answer may still take."""
        return max(0, int(self.left_ms))

    def exchange(self, line: bytes) -> bytes:
        """One line there and one back, on the clock. Raises `Fault`."""
        assert self.process
        if not (wall_ms := self.clock_ms()):
            reason = "The time ran out. What the bot wrote was incomplete or belonged to another request."
            raise Fault("timeout", {"reason": reason})
        self.times.asks += 1
        answer = self.process.ask(line, wall_ms=wall_ms, cpu_ms=max(0, int(self.cpu_ms)))
        self.left_ms -= answer.wall_ms
        self.cpu_ms -= answer.cpu_ms
        self.times.wall.append(answer.wall_ms)
        self.times.cpu.append(answer.cpu_ms)
        return answer.line

    def first_exchange(self, line: bytes) -> bytes:
        """Hello and its answer, which have a time of their own. Raises `Fault`."""
        assert self.process
        return self.process.ask(line, wall_ms=START_TIMEOUT_MS, cpu_ms=START_TIMEOUT_MS).line

    def failed(self, fault: Fault) -> Fault:
        """`fault` with what the bot wrote. Its process, which is out of step, is ended; who hung has spent the bank."""
        fault.stderr = fault.stderr or (self.stderr() if fault.kind == "bad_reply" else b"")
        if fault.kind == "timeout":
            self.bank_ms = 0.0
        self.close()
        return fault

    def _greet(self, fold: Fold) -> None:
        self.talk = None
        try:
            self.process = self.process or self.start(self.seed)
            self.talk, self.ready = conversation.begin_conversation(
                fold, self.seat, self.seed, self.clock, self.first_exchange
            )
        except BadReply as bad:
            raise self.failed(Fault("bad_reply", {"reason": bad.reason})) from bad
        except Fault as fault:
            raise self.failed(fault) from fault
