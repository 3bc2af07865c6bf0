"""A bot's file that runs in this interpreter, with the protocol lines, the clocks and the faults of the sandbox.

It is not isolated: it is for an interpreter that has nothing to lose, such as a worker in its author's browser. An
endless loop does not return; whoever runs the interpreter must end it.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import linecache
import random
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType, TracebackType
from typing import Any, Final

from scorebook_games.bots.output import KeptOutput
from scorebook_games.bots.process import Answer, Fault
from scorebook_games.bots.protocol import MAX_LINE_BYTES
from scorebook_games.bots.sdk import scorebook_bot

FILE: Final = "bot.py"  # the name of the bot's file in tracebacks, as in the sandbox
# Modules that the sandbox does not have and an interpreter in a browser does.
NOT_IN_THE_SANDBOX: Final = frozenset({"scorebook_games", "js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core"})


class InterpretedBot:
    """A running bot (`BotProcess`). It loads its file when it is first asked. `heard` gets what it prints, at once."""

    running: InterpretedBot | None = None  # whose draws the module `random` makes now

    def __init__(self, source: bytes, seed: int, heard: Callable[[str], None]) -> None:
        self.source, self.seed = source, seed
        self.output = KeptOutput()
        self.prints = Prints(self.output, heard)
        self.session: scorebook_bot.Session | None = None
        self.draws: Any = None  # the state of `random` while another bot runs
        self.answered = self.ended = False

    def ask(self, line: bytes, *, wall_ms: int, cpu_ms: int) -> Answer:
        """Return the bot's answer to `line`. Raises `Fault`: timeout, cpu_limit, crashed, bad_reply; before the first
        answer start_timeout, start_crashed."""
        if not line or self.ended:
            raise self._fault("timeout", "The bot answered each line once, and has nothing more to say.")
        began, used = time.perf_counter(), time.process_time()
        answer = self._run(lambda session: session.answer(json.loads(line)))
        wall, cpu = (time.perf_counter() - began) * 1000, (time.process_time() - used) * 1000
        if wall > wall_ms:
            raise self._fault("timeout", f"The bot did not answer within {wall_ms} ms.")
        if cpu > cpu_ms:
            raise self._fault("cpu_limit", f"The bot used {cpu:.0f} ms of processor time; {cpu_ms} ms were left.")
        reply = json.dumps(answer, separators=(",", ":")).encode("ascii")
        if len(reply) > MAX_LINE_BYTES:
            raise self._fault("bad_reply", f"The bot's line is longer than {MAX_LINE_BYTES} bytes.")
        self.answered = True
        return Answer(reply, wall, cpu)

    def send(self, line: bytes) -> None:
        """Send a line that has no answer. An error in it is only printed, as the game is over then."""
        with contextlib.suppress(Fault):
            self._run(lambda session: session.answer(json.loads(line)))

    def wait(self) -> None:
        """Do nothing: the bot has ended what it was asked for."""

    def stderr(self) -> bytes:
        """Return the beginning and the end of what the bot has printed."""
        return self.output.text()

    def unasked(self) -> bytes:
        """Return nothing: a bot in this interpreter cannot write to the protocol."""
        return b""

    def close(self) -> None:
        """End the bot."""
        self.session, self.ended = None, True

    def _run(self, act: Callable[[scorebook_bot.Session], Any]) -> Any:
        self._take_random()
        with contextlib.redirect_stdout(self.prints), contextlib.redirect_stderr(self.prints):
            try:
                if self.session is None:
                    random.seed(self.seed)
                    self.session = scorebook_bot.Session(scorebook_bot.find_bot(names_of(self.source)))
                return act(self.session)
            except SystemExit as leaving:
                code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
                raise self._fault("crashed", f"The bot's process ended with exit code {code & 255}.") from leaving
            except BaseException as error:
                traceback.print_exception(error.with_traceback(from_file(error.__traceback__)), file=self.prints)
                raise self._fault("crashed", "The bot's process ended with exit code 1.") from error

    def _take_random(self) -> None:
        """Give the module `random` the state in which this bot left it."""
        other = InterpretedBot.running
        if other is not self:
            if other and not other.ended:
                other.draws = random.getstate()
            if self.draws:
                random.setstate(self.draws)
            InterpretedBot.running = self

    def _fault(self, kind: str, reason: str) -> Fault:
        self.close()
        if not self.answered and kind in ("timeout", "crashed"):
            kind = f"start_{kind}"
        return Fault(kind, {"reason": reason}, self.stderr())


class Prints(io.TextIOBase):
    """Standard output and standard error of a bot."""

    def __init__(self, kept: KeptOutput, heard: Callable[[str], None]) -> None:
        self.kept, self.heard = kept, heard

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Keep and pass on what is printed."""
        self.kept.add(text.encode("utf-8", "backslashreplace"))
        self.heard(text)
        return len(text)


def names_of(source: bytes) -> dict[str, Any]:
    """Run a bot's file, and return the names that it defines. Raises whatever it raises."""
    module = ModuleType("bot")
    module.__file__ = FILE
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": import_as_in_the_sandbox}
    sys.modules["bot"], sys.modules["scorebook_bot"] = module, scorebook_bot
    text = source.decode("utf-8-sig", "replace")
    linecache.cache[FILE] = (len(source), None, text.splitlines(keepends=True), FILE)
    exec(compile(source, FILE, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  that is what the lab is for
    return module.__dict__


def import_as_in_the_sandbox(
    name: str,
    names: Mapping[str, object] | None = None,
    local: Mapping[str, object] | None = None,
    wanted: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """Import a module for a bot's file. Raises ModuleNotFoundError for one that the sandbox does not have."""
    if level == 0 and name.partition(".")[0] in NOT_IN_THE_SANDBOX:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return builtins.__import__(name, names, local, wanted or (), level)


def from_file(trace: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that begins in the bot's file; all of it if the error came from elsewhere."""
    found = trace
    while found and found.tb_frame.f_code.co_filename != FILE:
        found = found.tb_next
    return found or trace
