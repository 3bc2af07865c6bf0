"""An uploaded bot in a seat of a game: a process in a cage that is asked line by line.

It is started when it is asked for the first time, and again after it has died or was ended; then it is told the game's
events so far, as its seat saw them. It has no chance of its own: its seed follows from the deal and the seat, and its
hash seed is the same for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext_lazy as _

from games.bots import talk
from games.bots.protocol import CLOCK, BadReply, encode, parse_ready
from games.bots.sandbox import Cage
from games.bots.sandbox import Fault as Broken
from games.engines.chance import draw
from games.events import Entry
from games.fold import Fold
from games.seen import legal_moves

OWN: Final = bytes(Path(__file__).resolve().parents[2]) + b"/"
START_MS: Final = 5000  # for reading the file and answering hello, of wall and of processor time
INFRASTRUCTURE: Final = "infrastructure"
SLOW: Final = frozenset({"start_timeout", "timeout"})
HASH_SEED: Final = 0
NO_OTHER: Final[Mapping[str, str]] = {}
AT_START: Final = {"timeout": "start_timeout", "crashed": "start_crashed"}
MOST_LEGAL: Final = 200  # moves that are kept as evidence

SENTENCES: Final = {
    "start_timeout": _("The bot was not ready within {limit} ms."),
    "start_crashed": _("The bot ended before it was ready."),
    "crashed": _("The bot's process ended while it was asked."),
    "timeout": _("No answer came within {limit} ms."),
    "cpu_limit": _("The bot used up its processor time."),
    "violation": _("The bot tried what the sandbox forbids, and was ended."),
    "bad_reply": _("The answer could not be read: {reason}"),
    "illegal_move": _("The bot answered {move}, which is not legal: {reason}"),
    "infrastructure": _("The platform failed, not the bot: {reason}"),
}


class Failure(Exception):
    """A bot did not give a move that counts; `kind` is one of `Fault.Kind`, `evidence` what its author needs to see."""

    def __init__(self, kind: str, evidence: dict[str, Any], stderr: bytes) -> None:
        self.kind = kind
        self.evidence = evidence
        self.stderr = stderr.replace(OWN, b"")  # a traceback begins in our files: where they lie is nobody's business
        said = {"limit": "?", "reason": "", "move": "", **evidence}
        super().__init__(str(SENTENCES[kind]).format(**said))


class Choice(NamedTuple):
    """A move, or in beats the moves of a bundle, and how many ms of the bot's bank it took."""

    moves: list[str]
    charged_ms: int


class Caged:
    """The bot with that `source` in `seat` of a game whose deal has that `seed`; `cpu_ms` it has used there already."""

    def __init__(self, source: bytes, seat: int, seed: bytes, cpu_ms: float = 0) -> None:
        self.source = source
        self.seat = seat
        self.seed = int.from_bytes(draw(seed, f"upload/{seat}", 0)[:6], "big")
        self.times: list[float] = []  # ms of wall time of each answer
        self._cage: Cage | None = None
        self._talk: talk.Talk | None = None
        self.cpu_ms = self.cpu_ms_before = cpu_ms  # for all its answers in the game, whatever process gave them
        self._left_ms = 0.0  # of this answer's wall time

    def choose(self, fold: Fold, entries: Sequence[Entry]) -> Choice:
        """What the bot does where the game stands at `fold`, by its events `entries`. Raises `Failure`."""
        clock = clock_of(fold, self.seat)
        if self._talk is None:
            self.start(fold, clock)
        assert self._talk is not None
        spoken = self._talk
        self._left_ms = allowed = float(clock["move_ms"] + clock["bank_ms"])
        exchange = self._exchange(clock["cpu_ms"])
        try:
            moves = talk.choose(spoken, fold, entries[spoken.told :], lambda: int(self._left_ms), exchange)
        except (Broken, BadReply, talk.IllegalAnswer) as error:
            position = {"legal": legal_moves(fold, self.seat)[:MOST_LEGAL]}
            raise self._failure(error, {**position, "limit": int(allowed)}) from error
        took = allowed - self._left_ms
        return Choice(moves, max(0, int(took - clock["move_ms"])))

    def start(self, fold: Fold, clock: dict[str, int] | None = None) -> None:
        """Start the process and say hello. Raises `Failure`."""
        clock = clock or clock_of(fold, self.seat)
        try:
            self._talk, _ready = talk.begin(fold, self.seat, self.seed, clock, self._spawned())
        except (Broken, BadReply) as error:
            raise self._failure(error, {"limit": START_MS}, AT_START) from error
        self.times.pop()  # hello is no ask

    def introduce(self, fold: Fold) -> tuple[str, ...]:
        """Start the process, say hello for the game of `fold`, and end it: the kinds that the bot says it plays, () for
        all. Whether this one is among them does not matter. Raises `Failure`."""
        greeting = talk.greeting(fold, self.seat, self.seed, clock_of(fold, self.seat))
        try:
            return parse_ready(self._spawned()(encode(greeting))).kinds
        except (Broken, BadReply) as error:
            raise self._failure(error, {"limit": START_MS}, AT_START) from error
        finally:
            self.close()

    def _spawned(self) -> talk.Exchange:
        """A new process, and the way to it while it is starting."""
        self._cage = Cage.start(self.source, hash_seed=HASH_SEED, wall_ms=START_MS, cpu_ms=START_MS)
        self._left_ms = float(START_MS)
        return self._exchange(self.cpu_ms + START_MS)

    def close(self) -> None:
        """End the process. It is started again when it is asked again."""
        if self._cage is not None:
            self._cage.close()
        self._cage = self._talk = None

    def _exchange(self, cpu_ms: float) -> talk.Exchange:
        """A way to the process that keeps its time; `cpu_ms` is what the bot may have used then in all."""

        def exchange(line: bytes) -> bytes:
            assert self._cage is not None
            wall, cpu = max(1, int(self._left_ms)), max(1, int(cpu_ms - self.cpu_ms))
            answer = self._cage.ask(line, wall_ms=wall, cpu_ms=cpu)
            self._left_ms -= answer.wall_ms
            self.cpu_ms += answer.cpu_ms
            self.times.append(round(answer.wall_ms, 3))
            return answer.line

        return exchange

    def _failure(self, error: Exception, evidence: dict[str, Any], kinds: Mapping[str, str] = NO_OTHER) -> Failure:
        """What became of the ask because of `error`; a process that may be out of step is ended."""
        if isinstance(error, talk.IllegalAnswer):
            said = {"move": error.move, "index": error.index, "reason": error.sentence, "clause": error.clause}
            return Failure("illegal_move", {**evidence, **said, "legal": error.legal[:MOST_LEGAL]}, self._stderr())
        if isinstance(error, BadReply):
            failure = Failure("bad_reply", {**evidence, "reason": error.reason}, self._stderr())
        else:
            assert isinstance(error, Broken)
            failure = Failure(kinds.get(error.kind, error.kind), {**evidence, **error.evidence}, error.stderr)
        self.close()
        return failure

    def _stderr(self) -> bytes:
        return self._cage.stderr() if self._cage else b""


def clock_of(fold: Fold, seat: int) -> dict[str, int]:
    """What time the bot of `seat` has by the terms, and what of its bank is left."""
    terms = fold.opened["terms"]
    usual = {name: terms.get(f"bot_{name}", CLOCK[name]) for name in CLOCK}
    return {**usual, "bank_ms": max(0, usual["bank_ms"] - fold.charged.get(seat, 0))}
