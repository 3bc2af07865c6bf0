"""Starts the parts of Scorebook, restarts those that die, and ends all of them together."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Protocol

from devkit.backoff import MOST_DEATHS, Patience
from devkit.cluster import tail
from devkit.console import Trouble
from devkit.paths import LOCAL, LOGS, ROOT, private_folder, write_private
from devkit.processes import end_groups, group_members, launched, started, works_in

RUNNING = LOCAL / "running.json"
SECONDS_TO_END = 2.0


class Watched(Protocol):
    """What a supervisor needs of a part."""

    @property
    def name(self) -> str: ...
    @property
    def log(self) -> Path: ...
    def start(self) -> None: ...
    def why_ended(self) -> str | None: ...  # None while it is running


@dataclass
class Part:
    """A process with its program (Python by default) and arguments, its description, its log, and how far it gives way
    to other parts, as nice(1) takes it."""

    name: str
    words: str
    command: Sequence[str]
    environment: Mapping[str, str]
    program: str = sys.executable
    gives_way: int = 0
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def log(self) -> Path:
        return LOGS / f"{self.name}.log"

    def start(self) -> None:
        self.process = launched([self.program, *self.command], self.environment, self.log, ROOT, self.gives_way)

    def why_ended(self) -> str | None:
        code = self.process.poll() if self.process else None
        return None if code is None else why(code)


def why(code: int) -> str:
    """Return an exit code in words."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


class Supervisor:
    """Watches the parts. Call `watch` repeatedly; it never waits. `running` makes sure that all parts are ended."""

    def __init__(self, parts: Sequence[Watched]) -> None:
        self.parts = parts
        self._patience = {part.name: Patience() for part in parts}
        self._due: dict[str, float] = {}
        self._renewed: set[str] = set()  # parts that were asked to end, and start at once

    def watch(self, now: float) -> list[str]:
        """Look at every part once, and start those whose pause is over; return a line for each death. Raises `Trouble`,
        with the log's last lines, for a part that has died too often."""
        lines = []
        for part in self.parts:
            if part.name in self._due:
                if now >= self._due[part.name]:
                    del self._due[part.name]
                    part.start()
                    self.remember()
            elif (reason := part.why_ended()) and part.name in self._renewed:
                self._renewed.remove(part.name)
                part.start()
                self.remember()
            elif reason:
                lines.append(self._mourn(part, reason, now))
        return lines

    def _mourn(self, part: Watched, reason: str, now: float) -> str:
        pause = self._patience[part.name].died(now)
        if pause is None:
            raise Trouble(
                f"{part.name} {reason}, {MOST_DEATHS} times in a minute, so everything was stopped. "
                f"Its log, {part.log.relative_to(ROOT)}, ends:\n{tail(part.log)}"
            )
        self._due[part.name] = now + pause
        return f"  {part.name} {reason}. It starts again in {pause:g} s. Its log is {part.log.relative_to(ROOT)}."

    def remember(self) -> None:
        """Store which processes are running, for a later `up` that finds some of them left."""
        ours = [part.process.pid for part in self.parts if isinstance(part, Part) and part.process]
        write_private(RUNNING, json.dumps([[pid, started(pid)] for pid in ours]))

    def restart(self, parts: Sequence[Part]) -> None:
        """End these parts together, and start them again."""
        end_groups([part.process.pid for part in parts if part.process], seconds=SECONDS_TO_END)
        for part in parts:
            if part.process:
                part.process.wait()
            self._due.pop(part.name, None)
            part.start()
        self.remember()

    def renew(self, parts: Sequence[Part]) -> None:
        """Ask these parts to end; `watch` starts each again as soon as it has given back its work and ended."""
        for part in parts:
            if part.process and part.process.poll() is None:
                self._renewed.add(part.name)
                part.process.terminate()

    def end(self) -> None:
        groups = [part.process.pid for part in self.parts if isinstance(part, Part) and part.process]
        end_groups(groups, seconds=SECONDS_TO_END)
        for part in self.parts:
            if isinstance(part, Part) and part.process:
                part.process.wait()
        RUNNING.unlink(missing_ok=True)


@contextmanager
def running(parts: Sequence[Watched]) -> Iterator[Supervisor]:
    """Start all parts, and end them together when the block ends in any way."""
    private_folder(LOGS)
    supervisor = Supervisor(parts)
    try:
        for part in parts:
            if isinstance(part, Part):
                part.log.write_bytes(b"")
                part.start()
                supervisor.remember()
        yield supervisor
    finally:
        with undisturbed():
            supervisor.end()


def end_orphans() -> int:
    """End what a killed `up` of this folder left running; return how many processes."""
    try:
        kept = json.loads(RUNNING.read_text())
    except (OSError, ValueError):
        return 0
    left = [
        pid
        for group, began in kept
        if started(group) in (began, None)
        for pid in group_members(group)
        if works_in(pid, ROOT)
    ]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    RUNNING.unlink(missing_ok=True)
    return len(left)


def interrupt_on_signals() -> None:
    """Make SIGTERM and a closed terminal end a command in the same way as Ctrl-C."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore a second Ctrl-C while the parts are ended, which takes a few seconds at most."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    kept = [signal.signal(number, signal.SIG_IGN) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, kept, strict=True):
            signal.signal(number, handler)
