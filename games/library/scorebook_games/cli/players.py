"""The players of a local table: a bot in its process, or a built-in bot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from scorebook_games.bots import conversation, requests
from scorebook_games.bots.conversation import Conversation, IllegalAnswer
from scorebook_games.bots.process import BotProcess, Fault
from scorebook_games.bots.protocol import START_TIMEOUT_MS, BadReply, Ready, encode_line, over_line
from scorebook_games.contract import Outcome
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import BEATS
from scorebook_games.gamelog.visibility import outcome_data


class Player(Protocol):
    """A player in a seat of a local game."""

    @property
    def name(self) -> str:
        """The player's name in results and replays."""

    def begin(self, fold: Fold, seat: int, seed: int) -> None:
        """Called when a game begins. Raises `Fault`."""

    def choose(self, fold: Fold, entries: Sequence[RecordedEvent]) -> list[str]:
        """Return the player's move, or in beats its bundle, which is always legal. Raises `Fault`."""

    def end(self, outcome: Outcome) -> None:
        """Called when the game has ended."""


class BuiltInPlayer:
    """A built-in bot. Its randomness is drawn from `seed`."""

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
    """How long each answer of a bot took, in ms."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    asks: int = 0  # includes requests without an answer, which have no time


class BotPlayer:
    """A bot in a process of its own. It gets a new process for each game and after a fault that ends the process.

    `words` are the arguments that name it in another command: `--bot mybot.py`.
    """

    def __init__(self, name: str, start: Callable[[int], BotProcess], clock: dict[str, int], words: str = "") -> None:
        self.name = name
        self.words = words
        self.start = start
        self.clock = clock
        self.process: BotProcess | None = None
        self.talk: Conversation | None = None
        self.ready = Ready()
        self.seat, self.seed = 0, 0
        self.bank_ms, self.cpu_ms = 0.0, 0.0
        self.left_ms = 0.0  # time left for this answer, over all lines of it
        self.times = Times()
        self.stray = b""  # what processes of earlier games wrote without being asked

    def begin(self, fold: Fold, seat: int, seed: int) -> None:
        """Start a process and say hello. Raises `Fault`."""
        self.stray = self.unasked()
        self.close()
        self.seat, self.seed = seat, seed
        self.bank_ms, self.cpu_ms = float(self.clock["bank_ms"]), float(self.clock["cpu_ms"])
        self._greet(fold)

    def choose(self, fold: Fold, entries: Sequence[RecordedEvent]) -> list[str]:
        """Return the bot's answer. After a fault, a new process gets the whole game, as after a worker's failure."""
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
            raise Fault("illegal_move", evidence, self.stderr(), self.name) from illegal
        except Fault as fault:
            raise self.failed(fault) from fault
        finally:
            self.bank_ms = min(self.bank_ms, max(0.0, self.left_ms))

    def end(self, outcome: Outcome) -> None:
        """Tell the bot how the game ended, and let it exit."""
        if self.process and self.talk:
            self.process.send(encode_line(over_line(outcome_data(outcome))))
            self.process.wait()

    def close(self) -> None:
        """End the bot's process."""
        if self.process:
            self.process.close()
        self.process = self.talk = None

    def stderr(self) -> bytes:
        """Return what the bot has written to its standard error."""
        return self.process.stderr() if self.process else b""

    def unasked(self) -> bytes:
        """Return what the bot has written to the protocol without being asked, as far as it has been read."""
        return self.stray + (self.process.unasked() if self.process else b"")

    def clock_ms(self) -> int:
        """Return how many ms the bot's answer may still take."""
        return max(0, int(self.left_ms))

    def exchange(self, line: bytes) -> bytes:
        """Send a line and return the answer, on the bot's clock. Raises `Fault`."""
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
        """Send hello and return the answer; this has a time limit of its own. Raises `Fault`."""
        assert self.process
        return self.process.ask(line, wall_ms=START_TIMEOUT_MS, cpu_ms=START_TIMEOUT_MS).line

    def failed(self, fault: Fault) -> Fault:
        """Return `fault` with the bot's standard error, and end its process. After a timeout, its bank is empty."""
        fault.bot = self.name
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
