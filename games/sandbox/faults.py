"""Why a bot is no longer asked."""

from __future__ import annotations

import os
import signal
from typing import Any, Literal

from games.sandbox import policy

Kind = Literal[
    "start_timeout", "start_crashed", "timeout", "cpu_limit", "crashed", "violation", "bad_reply", "infrastructure"
]

Over = Literal["wall", "cpu", "host"]
Stage = Literal["lock", "start", "ask"]  # being locked up, its file running, asked for a line


class Fault(Exception):
    """What went wrong (`kind`), plain facts about it (`evidence`), and the beginning of what the bot wrote (`stderr`).

    `infrastructure` is never the bot's fault: the host, the worker or the sandbox itself failed it.
    """

    def __init__(self, kind: Kind, evidence: dict[str, Any], stderr: bytes = b"") -> None:
        super().__init__(f"{kind}: {evidence}")
        self.kind: Kind = kind
        self.evidence = evidence
        self.stderr = stderr


def kind_of_death(status: int, cpu_ms: float, stage: Stage) -> Kind:
    """`status` as waitpid has it, of a bot that we have not killed."""
    if stage == "lock":
        return "infrastructure"  # not a line of the bot's has run
    fallen_to = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if fallen_to == signal.SIGSYS:
        return "violation"
    if fallen_to in (signal.SIGKILL, signal.SIGXCPU):
        # Bots can't send signals. Whoever has used up the processor time of a life fell to that; else it was not it.
        return "cpu_limit" if cpu_ms >= 1000 * policy.CPU_SECONDS else "infrastructure"
    return "start_crashed" if stage == "start" else "crashed"


def kind_of_delay(over: Over, stage: Stage) -> Kind:
    """Which time is over, see `watch.Watch`."""
    if stage == "lock" or over == "host":
        return "infrastructure"
    if over == "cpu":
        return "cpu_limit"
    return "start_timeout" if stage == "start" else "timeout"


def how_it_died(status: int) -> dict[str, Any]:
    """For the evidence: the exit code, or the signal's name."""
    if os.WIFSIGNALED(status):
        return {"signal": signal.Signals(os.WTERMSIG(status)).name}
    return {"exit_code": os.WEXITSTATUS(status)}
