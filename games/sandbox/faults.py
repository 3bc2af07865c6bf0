"""Faults: why a bot is no longer asked."""

from __future__ import annotations

import os
import signal
from typing import Any, Literal

from games.sandbox import policy

Kind = Literal[
    "start_timeout", "start_crashed", "timeout", "cpu_limit", "crashed", "violation", "bad_reply", "infrastructure"
]

Over = Literal["wall", "cpu", "host"]
# the process is being restricted, the bot's file is running, or a line was asked for
Stage = Literal["lock", "start", "ask"]


class Fault(Exception):
    """A failure: its `kind`, plain facts about it (`evidence`), and what is kept of the bot's standard error
    (`stderr`).

    `infrastructure` is never the bot's fault: the host, the worker or the sandbox failed.
    """

    def __init__(self, kind: Kind, evidence: dict[str, Any], stderr: bytes = b"") -> None:
        super().__init__(f"{kind}: {evidence}")
        self.kind: Kind = kind
        self.evidence = evidence
        self.stderr = stderr


def kind_of_death(status: int, cpu_ms: float, stage: Stage) -> Kind:
    """Return the fault of a bot that ended without being killed by the worker. `status` comes from waitpid."""
    if stage == "lock":
        return "infrastructure"  # no line of the bot has run yet
    fallen_to = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if fallen_to == signal.SIGSYS:
        return "violation"
    if fallen_to in (signal.SIGKILL, signal.SIGXCPU):
        # Bots can't send signals. A bot that has used up its processor time was killed for that. Any other bot did not
        # cause its end.
        return "cpu_limit" if cpu_ms >= 1000 * policy.CPU_SECONDS else "infrastructure"
    return "start_crashed" if stage == "start" else "crashed"


def kind_of_delay(over: Over, stage: Stage) -> Kind:
    """Return the fault for the limit that was exceeded (see `monitor.Watch`)."""
    if stage == "lock" or over == "host":
        return "infrastructure"
    if over == "cpu":
        return "cpu_limit"
    return "start_timeout" if stage == "start" else "timeout"


def how_it_died(status: int) -> dict[str, Any]:
    """Return the exit code or the signal's name, for the evidence."""
    if os.WIFSIGNALED(status):
        return {"signal": signal.Signals(os.WTERMSIG(status)).name}
    return {"exit_code": os.WEXITSTATUS(status)}
