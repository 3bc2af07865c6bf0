"""Runs a bot in a process on its author's machine, with the interface of the server's sandbox but without its
isolation.

Nothing here protects anybody from the bot. It is for programs that you would run anyway.
"""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

from scorebook_games.bots.output import KeptOutput
from scorebook_games.bots.process import Answer, Fault
from scorebook_games.bots.protocol import MAX_LINE_BYTES
from scorebook_games.bots.sdk import scorebook_bot

SDK: Final = Path(scorebook_bot.__file__)
MEMORY: Final = 256 * 1024 * 1024  # bytes, for a Python bot
FILES: Final = 16
CHUNK: Final = 64 * 1024
LEAVING_SECONDS: Final = 1  # after the end of a game


def command_for(bot: Path, seed: int = 0) -> list[str]:
    """Return the command that runs a bot's file as the server does: with the SDK, no installed packages, seeded
    `random`."""
    if bot.suffix in (".js", ".mjs", ".cjs"):
        return ["node", str(bot)]
    return [sys.executable, "-u", "-s", "-S", "-P", "-B", str(SDK), str(bot), str(seed)]


class LocalProcess:
    """A running bot, as a context manager. Every method may raise `Fault`, and after that the process has ended."""

    def __init__(self, command: Sequence[str], *, hash_seed: int = 0, limited: bool = True) -> None:
        self.own_protocol = str(SDK) not in command  # it writes its answers itself
        environment = {"PYTHONHASHSEED": str(hash_seed), "PATH": os.environ.get("PATH", os.defpath)}
        prepare: Callable[[], None] | None = _limit if limited else None
        try:
            self.process = subprocess.Popen(  # noqa: S603  the author's own program
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
                preexec_fn=prepare,
                bufsize=0,
            )
        except OSError as error:
            raise Fault("start_crashed", {"reason": f"{command[0]} can't be run: {error.strerror}."}) from error
        pipes = (self.process.stdin, self.process.stdout, self.process.stderr)
        self.pipes = tuple(pipe for pipe in pipes if pipe)
        for pipe in self.pipes:
            os.set_blocking(pipe.fileno(), False)
        self.unread = b""
        self.stray = b""
        self.output = KeptOutput()
        self.answered = False

    @classmethod
    def start(cls, bot: Path, seed: int = 0, *, hash_seed: int = 0) -> LocalProcess:
        """Start the bot in a file. It has not got hello yet."""
        command = command_for(bot, seed)
        return cls(command, hash_seed=hash_seed, limited=command[0] == sys.executable)

    def __enter__(self) -> LocalProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, line: bytes, *, wall_ms: int, cpu_ms: int) -> Answer:
        """Send `line` and return the answer; earlier output is set aside. Given b"", only wait for the next line.

        Raises `Fault`: timeout, cpu_limit, crashed, bad_reply; before the first answer start_timeout, start_crashed.
        """
        if line:
            self.stray = self.unasked()
            self.unread = b""
        began, used = time.monotonic(), self._cpu()
        deadline = began + wall_ms / 1000
        with selectors.DefaultSelector() as waits:
            self._send_and_wait(line, deadline, waits, wall_ms)
        answer, _, self.unread = self.unread.partition(b"\n")
        self.answered = True
        spent = self._cpu() - used
        if spent > cpu_ms:
            raise self._fault("cpu_limit", f"The bot used {spent:.0f} ms of processor time; {cpu_ms} ms were left.")
        return Answer(answer, (time.monotonic() - began) * 1000, spent)

    def send(self, line: bytes) -> None:
        """Send a line that has no answer. A bot that has already exited is no error."""
        try:
            os.write(self.pipes[0].fileno(), line)
        except OSError:
            return

    def wait(self) -> None:
        """Close the bot's input and wait up to a second for it to exit. Its output can still be read."""
        self.pipes[0].close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(LEAVING_SECONDS)

    def stderr(self) -> bytes:
        """Return the beginning and the end of what the bot has written to its standard error so far."""
        if not self.pipes[2].closed:
            self._read_errors()
        return self.output.text()

    def unasked(self) -> bytes:
        """Return what the bot has written beyond the answers that were read, as far as it has come."""
        with contextlib.suppress(BlockingIOError):
            self.unread += os.read(self.pipes[1].fileno(), CHUNK)
        return (self.stray + self.unread)[:CHUNK]

    def close(self) -> None:
        """End the process and everything it has started."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for pipe in self.pipes:
            pipe.close()

    def _send_and_wait(self, line: bytes, deadline: float, waits: selectors.BaseSelector, wall_ms: int) -> None:
        """Send all of `line`, and read until there is an unread line."""
        to, out, err = self.pipes
        rest = memoryview(line)
        if rest:
            waits.register(to, selectors.EVENT_WRITE)
        waits.register(out, selectors.EVENT_READ)
        waits.register(err, selectors.EVENT_READ)
        while rest or b"\n" not in self.unread:
            left = deadline - time.monotonic()
            ready = [key.fileobj for key, _ in waits.select(max(0.0, left))]
            if not ready and left <= 0:
                raise self._fault("timeout", self._too_late(wall_ms))
            if err in ready and not self._read_errors():
                waits.unregister(err)
            if out in ready:
                self._read_answer()
            if to in ready and rest:
                rest = self._write(rest)
                if not rest:
                    waits.unregister(to)

    def _too_late(self, wall_ms: int) -> str:
        sentence = f"The bot did not answer within {wall_ms} ms."
        if self.own_protocol and not self.answered and not self.unread:
            sentence += " It has written nothing to its standard output: let it flush after each line."
        return sentence

    def _write(self, rest: memoryview) -> memoryview:
        try:
            return rest[os.write(self.pipes[0].fileno(), rest[:CHUNK]) :]
        except BrokenPipeError as error:
            raise self._gone() from error

    def _read_answer(self) -> None:
        chunk = os.read(self.pipes[1].fileno(), CHUNK)
        if not chunk:
            raise self._gone()
        self.unread += chunk
        if len(self.unread) > MAX_LINE_BYTES and b"\n" not in self.unread[: MAX_LINE_BYTES + 1]:
            raise self._fault("bad_reply", f"The bot's line is longer than {MAX_LINE_BYTES} bytes.")

    def _read_errors(self) -> bool:
        """Read what is there; return whether more may come."""
        while True:
            try:
                chunk = os.read(self.pipes[2].fileno(), CHUNK)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            self.output.add(chunk)

    def _cpu(self) -> float:
        """Return the process's processor time in ms since its start (Linux: clock_getcpuclockid(3)); 0 if unknown."""
        try:
            return time.clock_gettime((~self.process.pid << 3) | 2) * 1000
        except OSError:
            return 0.0

    def _gone(self) -> Fault:
        """Return the fault of a process that has closed its pipes, once the system knows how it ended."""
        try:
            code: int | None = self.process.wait(1)
        except subprocess.TimeoutExpired:
            code = None
        return self._fault("crashed", f"The bot's process {_ended(code)}.")

    def _fault(self, kind: str, reason: str) -> Fault:
        stderr = self.stderr()
        self.close()
        if not self.answered and kind in ("timeout", "crashed"):
            kind = f"start_{kind}"
        return Fault(kind, {"reason": reason}, stderr)


def _ended(code: int | None) -> str:
    if code is None:
        return "closed its output"
    if code < 0:
        return f"was stopped by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"


def _limit() -> None:
    """Set some limits of the sandbox in the child process: memory, open files, no writing of files."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
