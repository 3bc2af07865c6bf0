"""One bot in its sandbox, as the worker holds it: asked line by line, stopped in between, and ended at the first fault.

A bot that comes back to read its next question is held there (`flow_control`). A bot that does not come back, or has no
read hold, is stopped by a signal.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from time import clock_gettime, monotonic
from typing import Any, NamedTuple

from games.sandbox import policy
from games.sandbox.child_main import HEADER, LOADED, LOCKED
from games.sandbox.faults import Fault, Kind, Over, Stage, how_it_died, kind_of_death, kind_of_delay
from games.sandbox.flow_control import ReadHold, listener_from
from games.sandbox.memory import memory_of
from games.sandbox.monitor import QUICK_MS, OutOfTime, Watch
from games.sandbox.output import KeptOutput
from games.sandbox.supervisor import Zygote

CHUNK = 1 << 16
LOCK_MS = 10_000  # for the zygote to fork a bot and restrict it; not charged to the bot
EXIT_MS = 200  # between the end of a bot's pipes and the end of the bot
KILL_MS = 5000  # for the kernel to end a process
GRACE_MS = 2  # from its answer to its next read; then it is stopped


class Answer(NamedTuple):
    """A bot's line without its line end, the wall time charged for it, and the CPU time that the bot used."""

    line: bytes
    wall_ms: float
    cpu_ms: float


class BotProcess:
    """A bot whose file has run. The constructor raises `Fault` if it does not run within `wall_ms` and `cpu_ms`.

    `seed` is the seed of its `random`; `loading` says how long its file took to run. It must not be used by several
    threads at once. A `Fault` ends the process, and so does `close`.
    """

    def __init__(self, zygote: Zygote, source: bytes, *, wall_ms: int, cpu_ms: int, seed: int = 0) -> None:
        self._zygote = zygote
        self._stage: Stage = "lock"
        self._ended = self._stopped = False
        self._buffer = b""  # read from its answers and not used yet
        self._output, self._unasked = KeptOutput(), 0
        self._cpu_ms = 0.0  # CPU time of its whole life when it was last stopped
        self._hold = self._spawn()
        # The clock of a process's CPU time, computed from a pid as clock_getcpuclockid does.
        self._clock = (~self.pid << 3) | 2
        self._poll = select.poll()
        for end in (self._answers, self._errors, self._pidfd):
            self._poll.register(end, select.POLLIN)
        if self._hold:
            self._poll.register(self._hold.listener, select.POLLIN)
        self._until(LOCKED, LOCK_MS, LOCK_MS, b"")
        self._stage = "start"
        self.loading = self._until(LOADED, wall_ms, cpu_ms, HEADER.pack(seed, len(source)) + source)
        self._stage = "ask"

    def _until(self, wanted: bytes, wall_ms: int, cpu_ms: int, message: bytes) -> Answer:
        answer = self._exchange(message, wall_ms, cpu_ms)
        if answer.line != wanted:
            raise self._fault("bad_reply", reason="The bot wrote an answer before its file had run.")
        return answer

    def _spawn(self) -> ReadHold | None:
        """Start the process with three pipes and a read hold, and keep one end of each."""
        with ExitStack() as ours, ExitStack() as its, _no_descriptors_left():
            asks, self._asks = _pipe(its, ours)
            self._answers, answers = _pipe(ours, its)
            self._errors, errors = _pipe(ours, its)
            for end in (self._asks, self._answers, self._errors):
                os.set_blocking(end, False)
            channel, its_channel = (its.enter_context(each) for each in socket.socketpair())
            ends = [asks, answers, errors, *([its_channel.fileno()] if self._zygote.holds_reads else [])]
            self.pid, self._pidfd = self._zygote.spawn(ends)
            ours.callback(os.close, self._pidfd)
            its_channel.close()
            channel.settimeout(LOCK_MS / 1000)
            if (listener := listener_from(channel)) is not None:
                ours.callback(os.close, listener)
            self._ours = ours.pop_all()
            return None if listener is None else ReadHold(listener)

    # -- asking

    def ask(self, line: bytes, *, wall_ms: int, cpu_ms: int) -> Answer:
        """Send `line`, which has a line end, let the bot run until it answers by one line, and stop it. Raises `Fault`.

        Anything that it wrote before is dropped, including an unfinished line. An empty `line` sends nothing and waits
        for the next line, for a bot that answered something else.
        """
        if self._ended:
            raise Fault("infrastructure", {"reason": "A bot was asked that had been ended."})
        if line and (self._buffer or (self._stopped and self._poll.poll(0))):
            self._forget_unasked()
        return self._exchange(line, wall_ms, cpu_ms)

    def is_alive(self) -> bool:
        """Return whether the bot can be asked."""
        return not self._ended and self._zygote.alive() and not _readable(self._pidfd, 0)

    def memory(self) -> int:
        """Return at most how many bytes the bot takes beyond what it shares with its zygote, the kernel's included."""
        return memory_of(self.pid, self._zygote.process.pid)

    def _forget_unasked(self) -> None:
        self._read_waiting()
        self._unasked += self._buffer.count(b"\n") + (not self._buffer.endswith(b"\n"))
        self._buffer = b""

    def _exchange(self, message: bytes, wall_ms: int, cpu_ms: float) -> Answer:
        began, hold = monotonic(), self._hold
        cpu_ms = max(1, min(cpu_ms, 1000 * policy.CPU_SECONDS - self._cpu_ms))
        # the normal case, after which there usually is an answer
        if hold and hold.holds and message and not self._buffer:
            rest, self._buffer = hold.ask(self._asks, message, self._answers, min(QUICK_MS, wall_ms, cpu_ms))
        else:
            rest = self._write(message) if message else b""
        watch = None
        if b"\n" not in self._buffer:
            watch = Watch(self.pid, wall_ms, cpu_ms, self._cpu_used, began)
            self._wait_for_line(watch, rest)
        used = self._cpu_used()
        if used > cpu_ms:
            raise self._too_late("cpu", watch or Watch(self.pid, wall_ms, cpu_ms, self._cpu_used, began))
        self._cpu_ms += used
        line, _, self._buffer = self._buffer.partition(b"\n")
        return Answer(line, watch.charged() if watch else 1000 * (monotonic() - began), used)

    def _wait_for_line(self, watch: Watch, rest: bytes) -> None:
        """Let the bot run until it has written a line, and stop it. `rest` is what must still be written to it."""
        self._let_run()
        try:
            while b"\n" not in self._buffer:
                rest = self._wait(watch, rest)
        except OutOfTime as late:
            raise self._too_late(late.over, watch) from None
        if watch.is_late():
            raise self._too_late("wall", watch)
        self._stop()

    def _let_run(self) -> None:
        if self._hold and self._hold.holds:
            self._hold.let_go()
        elif self._stopped:
            self._signal(signal.SIGCONT)
            self._stopped = False

    def _stop(self) -> None:
        """Stop a bot that has answered. It has a moment to come to the read hold by itself."""
        hold = self._hold
        if hold and (hold.holds or hold.comes(GRACE_MS)):
            self._read_waiting()
        else:
            self._signal(signal.SIGSTOP)
            self._stopped = True

    def _read_waiting(self) -> None:
        """Read what the bot has written, if anything."""
        with contextlib.suppress(BlockingIOError):
            self._read_answers()

    def _write(self, message: bytes) -> bytes:
        """Write to the bot; return what did not fit into the pipe."""
        try:
            return message[os.write(self._asks, message) :]
        except BlockingIOError:
            return message
        except BrokenPipeError:  # the bot has ended or closed its end; `_wait` sees that
            return b""

    def _wait(self, watch: Watch, rest: bytes) -> bytes:
        """Wait until something happens, and handle it. Return what must still be written."""
        if rest:
            self._poll.register(self._asks, select.POLLOUT)
        asked, before = watch.left(), monotonic()
        ready = dict(self._poll.poll(asked))
        watch.slept(asked, 1000 * (monotonic() - before))
        if rest:
            self._poll.unregister(self._asks)
            if self._asks in ready:
                rest = self._write(rest)
        if self._errors in ready:
            self._read_errors()
        if self._hold and self._hold.listener in ready and self._hold.comes(0):
            self._at_hold(self._hold)
        elif self._answers in ready:
            self._read_answers()
        elif self._pidfd in ready:
            raise self._death()
        return rest

    def _at_hold(self, hold: ReadHold) -> None:
        """Handle a bot that has come to read: hold it if it has answered, else let it read the current question."""
        self._read_waiting()
        if b"\n" not in self._buffer:
            hold.let_go()

    def _read_answers(self) -> None:
        part = os.read(self._answers, CHUNK)
        if not part:
            raise self._death()
        self._buffer += part
        if len(self._buffer) > policy.LINE and self._buffer.find(b"\n", 0, policy.LINE + 1) < 0:
            raise self._fault("bad_reply", reason=f"A line is longer than {policy.LINE} bytes.")

    def _read_errors(self) -> None:
        """Keep the beginning and the end, and stop reading if a bot writes without end."""
        part = os.read(self._errors, CHUNK)
        self._output.add(part)
        if not part or self._output.size >= policy.STDERR_DRAINED:
            self._poll.unregister(self._errors)

    def stderr(self) -> bytes:
        """Return the beginning and the end of what it printed or wrote to its standard error.

        This reads at most what was not read before `STDERR_DRAINED`, and one pipe full beyond it.
        """
        while not self._ended and self._output.size < policy.STDERR_DRAINED + CHUNK:
            try:
                part = os.read(self._errors, CHUNK)
            except BlockingIOError:
                break
            if not part:
                break
            self._output.add(part)
        return self._output.text()

    # -- time and signals

    def _cpu_used(self) -> float:
        """Return the CPU time in ms since the bot was last stopped."""
        return 1000 * clock_gettime(self._clock) - self._cpu_ms

    def _signal(self, number: signal.Signals) -> None:
        try:  # this runs twice for each question, and contextlib.suppress would cost as much as the call
            signal.pidfd_send_signal(self._pidfd, number)
        except ProcessLookupError:  # the bot has ended; `_wait` sees that
            return

    def _too_late(self, over: Over, watch: Watch) -> Fault:
        measured = {"wall_ms": round(watch.charged(), 1), "cpu_ms": round(self._cpu_used(), 1)}
        measured["waited_ms"] = round(watch.elapsed() - watch.charged(), 1)  # time spent waiting for the host
        kind = kind_of_delay(over, self._stage)
        return self._fault(kind, **measured, wall_limit_ms=watch.wall_ms, cpu_limit_ms=watch.cpu_ms)

    # -- the end

    def _death(self) -> Fault:
        """Return the fault of a bot that has ended or closed its answers while something was expected of it."""
        if not _readable(self._pidfd, EXIT_MS):
            kind: Kind = "start_crashed" if self._stage == "start" else "crashed"
            return self._fault(kind, reason="The bot closed the pipe of its answers.")
        try:
            ended = self._zygote.reap(self.pid)
        except Fault as gone:
            self._bury()
            return Fault(gone.kind, gone.evidence, self._output.text())
        kind = kind_of_death(ended["status"], ended["cpu_ms"], self._stage)
        used: dict[str, Any] = {"memory": ended["memory"], "cpu_ms": max(0.0, round(ended["cpu_ms"] - self._cpu_ms, 1))}
        if kind == "infrastructure" and self._stage != "lock":
            used["reason"] = "The host ended the bot's process, as it does when its memory or the worker's runs out."
        fault = Fault(kind, self._evidence(how_it_died(ended["status"]) | used), self.stderr())
        self._bury()
        return fault

    def _fault(self, kind: Kind, **evidence: Any) -> Fault:
        fault = Fault(kind, self._evidence(evidence), self.stderr())
        self.close()
        return fault

    def _evidence(self, special: dict[str, Any]) -> dict[str, Any]:
        self.stderr()
        general = {"at": self._stage, "stderr_bytes": self._output.size}
        return {**special, **general, "unasked_lines": self._unasked}

    def close(self) -> None:
        """End the bot, whatever it does. May be called twice."""
        if self._ended:
            return
        self._signal(signal.SIGKILL)
        with contextlib.suppress(Fault):  # the zygote is gone, and its bots with it
            if _readable(self._pidfd, KILL_MS):
                self._zygote.reap(self.pid)
        self._bury()

    def _bury(self) -> None:
        self._ended = True
        self._ours.close()


@contextmanager
def _no_descriptors_left() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Fault("infrastructure", {"reason": f"The worker can't open a pipe: {error}."}) from error


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """Return the two ends of a pipe, and register which stack closes which end."""
    read, write = os.pipe()
    reader.callback(os.close, read)
    writer.callback(os.close, write)
    return read, write


def _readable(end: int, wait_ms: int) -> bool:
    poll = select.poll()
    poll.register(end, select.POLLIN)
    return bool(poll.poll(wait_ms))
