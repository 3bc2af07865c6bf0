"""A running bot as a local table sees it: what it can be asked, and how it can fail. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


class Fault(Exception):
    """A bot failed.

    `kind` is a fault of docs/reference/bot-protocol.md; `stderr` is what is kept of the bot's log; `bot` is its
    name, or "".
    """

    def __init__(self, kind: str, evidence: dict[str, Any], stderr: bytes = b"", bot: str = "") -> None:
        super().__init__(f"{kind}: {evidence.get('reason', '')}")
        self.kind = kind
        self.evidence = evidence
        self.stderr = stderr
        self.bot = bot


@dataclass(frozen=True, slots=True)
class Answer:
    """A bot's line without its line end, and the time that it took. `cpu_ms` is 0 if the system cannot measure it."""

    line: bytes
    wall_ms: float
    cpu_ms: float


class BotProcess(Protocol):
    """A bot that runs: in a process of its own, or in this interpreter. Every method may raise `Fault`, and after that
    the bot has ended."""

    def ask(self, line: bytes, *, wall_ms: int, cpu_ms: int) -> Answer:
        """Send `line` and return the answer. Given b"", only return the next line."""

    def send(self, line: bytes) -> None:
        """Send a line that has no answer."""

    def wait(self) -> None:
        """Let the bot exit. Its output can still be read."""

    def stderr(self) -> bytes:
        """Return what is kept of the bot's standard error."""

    def unasked(self) -> bytes:
        """Return what the bot has written beyond the answers that were read."""

    def close(self) -> None:
        """End the bot."""
