"""How much memory a bot takes: its own pages, and what the kernel keeps because of it.

It is computed from files in /proc that every user may read. Each part is at least what the bot takes, never less.
"""

from __future__ import annotations

import os
from pathlib import Path

from games.sandbox import policy

IDLE_BYTES = 3 << 20  # which every bot takes
PIPES = 3 * (64 << 10)  # what the kernel may hold in a bot's pipes
MAPPING = (
    512  # bytes of the kernel for a mapping, which has at least one page; measured: 210, and 170 more once written
)
PAGE = os.sysconf("SC_PAGE_SIZE")


def memory_of(pid: int, zygote: int) -> int:
    """Return at most how many bytes a bot takes beyond what it shares with its zygote.

    Where it cannot be known, this is all that a bot may take.
    """
    try:
        status, shared = _status(pid), _status(zygote)
        written = PAGE * int(_read(pid, "stat").rpartition(")")[2].split()[7])  # each page of its own was a minor fault
    except (OSError, KeyError, IndexError):
        return policy.MEMORY + policy.MEMORY // PAGE * MAPPING + PIPES
    unshared = min(status["RssAnon"] + status["VmSwap"], written)
    mappings = max(0, status["VmSize"] - shared["VmSize"]) // PAGE
    return max(IDLE_BYTES, unshared) + status["VmPTE"] + mappings * MAPPING + PIPES


def _status(pid: int) -> dict[str, int]:
    """Return the sizes in /proc/PID/status, in bytes."""
    lines = (line.split() for line in _read(pid, "status").splitlines())
    return {line[0].rstrip(":"): int(line[1]) << 10 for line in lines if line[-1] == "kB"}


def _read(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text()
