"""An uploaded bot in a seat of a game: a sandboxed process that is asked line by line.

It is started when it is first asked, and again after it died or was ended. Then it gets the game's events so far, as
its seat saw them. Its randomness follows from the deal, the game and the seat (`conversation.seed_for`). All bots have
the same hash seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from games.play import fault_sentences
from games.sandbox import Fault as Broken
from games.sandbox import SandboxedProcess, policy
from scorebook_games.bots import conversation
from scorebook_games.bots.protocol import DEFAULT_CLOCK, BadReply, encode_line, parse_ready
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.visibility import legal_moves
from scorebook_games.presentation.coded_text import Sentence

START_TIMEOUT_MS: Final = 5000  # for reading the file and answering hello, of wall and of processor time
INFRASTRUCTURE: Final = "infrastructure"
SLOW_REASONS: Final = frozenset({"start_timeout", "timeout"})
HASH_SEED: Final = 0
NO_PROGRAMS: Final[Mapping[str, str]] = {}
RESTART_LIMIT: Final = "restart_limit"
# Faults of the bot that end its process. After an illegal move it is asked again.
ENDING_REASONS: Final = frozenset(
    {"start_timeout", "start_crashed", "crashed", "timeout", "cpu_limit", "violation", "bad_reply"}
)
AT_START: Final = {"timeout": "start_timeout", "crashed": "start_crashed"}
MAX_LEGAL_MOVES_KEPT: Final = 200  # moves that are kept as evidence

SENTENCES: Final[dict[str, Callable[[Mapping[str, Any]], Sentence]]] = {
    "start_timeout": lambda evidence: fault_sentences.not_ready_in_time(evidence.get("limit", "?")),
    "start_crashed": lambda _evidence: fault_sentences.ended_before_ready(),
    "crashed": lambda _evidence: fault_sentences.ended_when_asked(),
    "timeout": lambda evidence: fault_sentences.no_answer_in_time(evidence.get("limit", "?")),
    "cpu_limit": lambda _evidence: fault_sentences.processor_time_used_up(),
    "violation": lambda _evidence: fault_sentences.sandbox_violated(),
    "bad_reply": lambda evidence: fault_sentences.answer_unreadable(str(evidence.get("reason", ""))),
    "restart_limit": lambda evidence: fault_sentences.ended_too_often(evidence.get("ends", "?")),
    "illegal_move": lambda evidence: fault_sentences.answer_illegal(
        evidence.get("move", ""), str(evidence.get("reason", ""))
    ),
    "infrastructure": lambda evidence: fault_sentences.platform_failed(str(evidence.get("reason", ""))),
}


def printed_too_much(evidence: Mapping[str, Any]) -> bool:
    """Return whether the bot waits because nobody reads any more of what it prints."""
    return bool(evidence.get("stderr_bytes", 0) >= policy.STDERR_DRAINED)


class Failure(Exception):
    """A bot gave no valid move. `kind` is one of `Fault.Kind`, and `evidence` is what its author needs to see."""

    def __init__(self, kind: str, evidence: dict[str, Any], stderr: bytes) -> None:
        self.kind = kind
        self.evidence = evidence
        self.charged_ms: int = evidence.get("charged_ms", 0)  # as a choice has it
        self.stderr = stderr
        self.sentences = [SENTENCES[kind](evidence)]
        if kind in SLOW_REASONS and printed_too_much(evidence):
            self.sentences.append(fault_sentences.printed_too_much())
        super().__init__(" ".join(map(str, self.sentences)))


class Choice(NamedTuple):
    """A move, or in beats the moves of a bundle, and how many ms of the bot's bank it took."""

    moves: list[str]
    charged_ms: int


@dataclass(slots=True)
class Budget:
    """What is left of the wall and processor time of one question, in ms.

    It covers all lines of the question: the parts of a bundle, and skipped answers to earlier requests.
    """

    wall_ms: float
    cpu_ms: float

    @contextmanager
    def spent(self) -> Iterator[None]:
        """Subtract the time that a fault inside the block reports."""
        try:
            yield
        except Broken as broken:
            self.wall_ms -= broken.evidence.get("wall_ms", 0.0)
            self.cpu_ms -= broken.evidence.get("cpu_ms", 0.0)
            raise


class SandboxedBot:
    """The bot with this `source` in `seat` of a game, with `seed` for its randomness."""

    def __init__(self, source: bytes, seat: int, seed: int) -> None:
        self.source = source
        self.seat = seat
        self.seed = seed
        self.times: list[float] = []  # wall time of each answer in ms
        self.asked_at: list[int] = []  # the version of the game at which each was asked for
        self._process: SandboxedProcess | None = None
        self._talk: conversation.Conversation | None = None
        self.begin()

    def begin(self, cpu_ms: float = 0, ends: int = 0, most_ends: int = 1) -> None:
        """Prepare for questions. Its answers in the game have already used `cpu_ms`, in whatever process.

        Its process has ended `ends` times through its own fault, and is not started again after `most_ends`.
        """
        self.times.clear()
        self.asked_at.clear()
        self.cpu_ms = self.cpu_ms_before = cpu_ms
        self.ends, self.most_ends = ends, most_ends

    def choose(self, fold: Fold, entries: Sequence[RecordedEvent]) -> Choice:
        """Return what the bot plays at `fold`, given the game's events `entries`. Raises `Failure`."""
        clock = clock_of(fold, self.seat)
        if self._talk is None:
            self.start(fold, clock)
        assert self._talk is not None
        spoken = self._talk
        allowed, cpu_ms = float(clock["move_ms"] + clock["bank_ms"]), clock["cpu_ms"] - self.cpu_ms
        budget = Budget(allowed, cpu_ms)

        def charged_ms() -> int:
            return min(clock["bank_ms"], max(0, int(allowed - budget.wall_ms - clock["move_ms"])))

        def clock_ms() -> int:
            return max(0, int(budget.wall_ms))

        try:
            exchange = self._exchange(budget, fold.version)
            moves = conversation.choose_moves(spoken, fold, entries[spoken.sent :], clock_ms, exchange)
        except (Broken, BadReply, conversation.IllegalAnswer) as error:
            evidence = {
                "legal": legal_moves(fold, self.seat)[:MAX_LEGAL_MOVES_KEPT],
                "limit": int(allowed),
                **_evidence(error),
            }
            if "wall_limit_ms" in evidence:  # of the last line alone, if there were several
                used = {"wall_ms": round(allowed - budget.wall_ms, 1), "cpu_ms": round(cpu_ms - budget.cpu_ms, 1)}
                evidence |= {**used, "wall_limit_ms": int(allowed), "cpu_limit_ms": int(cpu_ms)}
            raise self._failure(error, {**evidence, "charged_ms": charged_ms()}) from error
        finally:
            self.cpu_ms += cpu_ms - budget.cpu_ms
        return Choice(moves, charged_ms())

    def start(self, fold: Fold, clock: dict[str, int] | None = None) -> None:
        """Start the process and say hello. Raises `Failure`.

        This has its own time limit. If the process had ended through the bot's own fault, the processor time counts for
        the game.
        """
        clock = clock or clock_of(fold, self.seat)
        if self.ends >= self.most_ends:
            raise Failure(RESTART_LIMIT, {"ends": self.ends}, b"")
        again = self.ends > 0
        cpu_ms = min(START_TIMEOUT_MS, clock["cpu_ms"] - self.cpu_ms) if again else START_TIMEOUT_MS
        budget = Budget(START_TIMEOUT_MS, cpu_ms)
        try:
            self._talk, _ready = conversation.begin_conversation(
                fold, self.seat, self.seed, clock, self._spawned(budget)
            )
        except (Broken, BadReply) as error:
            raise self._failure(error, {"limit": START_TIMEOUT_MS, **_evidence(error)}, AT_START) from error
        finally:
            if again:
                self.cpu_ms += cpu_ms - budget.cpu_ms

    def introduce(self, fold: Fold) -> tuple[str, ...]:
        """Start the process, say hello for the game of `fold`, and end it; return the kinds that the bot says it plays.

        () means all. The kind of this game need not be among them. Raises `Failure`.
        """
        greeting = conversation.hello_to_seat(fold, self.seat, self.seed, clock_of(fold, self.seat))
        try:
            return parse_ready(self._spawned(Budget(START_TIMEOUT_MS, START_TIMEOUT_MS))(encode_line(greeting))).kinds
        except (Broken, BadReply) as error:
            raise self._failure(error, {"limit": START_TIMEOUT_MS, **_evidence(error)}, AT_START) from error
        finally:
            self.close()

    @property
    def is_running(self) -> bool:
        """Return whether the process was started and can be asked."""
        return self._talk is not None and self._process is not None and self._process.is_alive()

    @property
    def last_sent(self) -> int:
        """The version of the game up to which the process has got events."""
        return self._talk.sent if self._talk else 0

    def memory(self) -> int:
        """Return how many bytes its process has of its own."""
        return self._process.memory() if self._process else 0

    def close(self) -> None:
        """End the process. It is started again when it is next asked."""
        if self._process is not None:
            self._process.close()
        self._process = self._talk = None

    def _spawned(self, budget: Budget) -> conversation.Exchange:
        """Return a new process, with its exchange while it starts: loading and hello share one budget."""
        wall, cpu = int(budget.wall_ms), max(1, int(budget.cpu_ms))
        with budget.spent():
            given = {"hash_seed": HASH_SEED, "seed": self.seed, "seat": self.seat}
            self._process = SandboxedProcess.start(self.source, **given, wall_ms=wall, cpu_ms=cpu)
        budget.wall_ms -= self._process.loading.wall_ms
        budget.cpu_ms -= self._process.loading.cpu_ms
        exchange = self._exchange(budget)

        def hello(line: bytes) -> bytes:
            answer = exchange(line)
            self.times.pop()  # hello is not a question
            self.asked_at.pop()
            return answer

        return hello

    @property
    def slowest_at(self) -> int | None:
        """The version of the game at which the answer was asked for that took longest; None without answers."""
        return self.asked_at[self.times.index(max(self.times))] if self.times else None

    def _exchange(self, budget: Budget, version: int = 0) -> conversation.Exchange:
        """Return an exchange with the process that keeps its time. It is asked at this `version` of the game.

        What comes after the `budget` is used is too late.
        """

        def exchange(line: bytes) -> bytes:
            assert self._process is not None
            wall, cpu = int(budget.wall_ms), int(budget.cpu_ms)
            if wall < 1 or cpu < 1:
                limits = {"wall_limit_ms": wall, "cpu_limit_ms": cpu}
                raise Broken("timeout" if wall < 1 else "cpu_limit", limits, self._stderr())
            with budget.spent():
                answer = self._process.ask(line, wall_ms=wall, cpu_ms=cpu)
            budget.wall_ms -= answer.wall_ms
            budget.cpu_ms -= answer.cpu_ms
            self.times.append(round(answer.wall_ms, 3))
            self.asked_at.append(version)
            return answer.line

        return exchange

    def _failure(self, error: Exception, evidence: dict[str, Any], kinds: Mapping[str, str] = NO_PROGRAMS) -> Failure:
        """Return the failure because of `error`, and end a process that may be out of step."""
        if isinstance(error, conversation.IllegalAnswer):
            details = {"move": error.move, "index": error.index, "reason": error.sentence, "clause": error.clause}
            return Failure(
                "illegal_move", {**evidence, **details, "legal": error.legal[:MAX_LEGAL_MOVES_KEPT]}, self._stderr()
            )
        if isinstance(error, BadReply):
            failure = Failure("bad_reply", {**evidence, "reason": error.reason}, self._stderr())
        else:
            assert isinstance(error, Broken)
            failure = Failure(kinds.get(error.kind, error.kind), evidence, error.stderr)
        self.ends += failure.kind in ENDING_REASONS
        self.close()
        return failure

    def _stderr(self) -> bytes:
        return self._process.stderr() if self._process else b""


def _evidence(error: Exception) -> dict[str, Any]:
    return dict(error.evidence) if isinstance(error, Broken) else {}


def clock_of(fold: Fold, seat: int) -> dict[str, int]:
    """Return the time of the bot of `seat` by the terms, and what is left of its bank."""
    terms = fold.opened["terms"]
    usual = {name: terms.get(f"bot_{name}", DEFAULT_CLOCK[name]) for name in DEFAULT_CLOCK}
    return {**usual, "bank_ms": max(0, usual["bank_ms"] - fold.charged.get(seat, 0))}
