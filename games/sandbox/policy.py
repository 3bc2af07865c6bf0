"""What a sandboxed bot is held to, in one place, and the hash by which games remember it."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Mapping
from typing import Any, Final

from games.sandbox import seccomp

MEMORY: Final = 256 << 20  # bytes of address space
CPU_SECONDS: Final = 60  # in a bot's whole life, which is a game; the worker measures and ends it
# Where the kernel ends it, if the worker should not. The kernel counts the ticks at which it meets the bot running, and
# may count far more than the bot has used: this is beyond all the time that a game gives for answers.
CPU_TICKS_SECONDS: Final = 3600
OPEN_FILES: Final = 16
ROOT_BYTES: Final = 256 << 20  # at most, of a sandbox's copy of Python
ROOT_FILES: Final = 1 << 14
STACK: Final = 8 << 20
LINE: Final = 64 << 10  # bytes of an answer
MAX_STDERR_BYTES: Final = 8 << 10
STDERR_DRAINED: Final = 1 << 20  # from here on nobody reads it, and the bot waits

INSIDE_ID: Final = 65534  # what a bot sees as its uid and gid
NAMESPACES: Final = ("user", "mount", "pid", "net", "ipc", "uts", "cgroup")

# Loaded before a bot's file runs. Modules in C that are not here can't be imported: no code can be mapped any more.
PROMISED: Final = (
    "__future__", "abc", "argparse", "array", "ast", "base64", "binascii", "bisect", "builtins", "bz2", "calendar",
    "cmath", "cmd", "codecs", "collections", "collections.abc", "colorsys", "contextlib", "contextvars", "copy",
    "copyreg", "csv", "dataclasses", "datetime", "decimal", "difflib", "dis", "enum", "errno", "fractions",
    "functools", "gc", "graphlib", "gzip", "hashlib", "heapq", "hmac", "html", "inspect", "io", "itertools", "json",
    "keyword", "linecache", "locale", "logging", "lzma", "marshal", "math", "numbers", "operator", "os", "pathlib",
    "pickle", "pprint", "queue", "random", "re", "reprlib", "sched", "secrets", "select", "shlex", "signal",
    "statistics", "string", "struct", "sys", "textwrap", "threading", "time", "timeit", "token", "tokenize",
    "traceback", "types", "typing", "unicodedata", "uuid", "warnings", "weakref", "zlib",
)  # fmt: skip
# Used by those in the dark; loaded early too, so that the first use needs no new code.
ALSO_LOADED: Final = ("_strptime", "asyncio", "encodings.idna", "encodings.latin_1", "importlib.util")


def facts(*, uid: str, landlock: int) -> dict[str, Any]:
    """The policy as it holds on this host. `uid`: whose the bots' uid is outside; `landlock`: its version, or 0."""
    return {
        "version": 2,
        "namespaces": NAMESPACES,
        "uid": uid,
        "landlock": landlock,
        "seccomp": hashlib.sha256(seccomp.program() + seccomp.read_hold()).hexdigest(),
        "memory": MEMORY,
        "cpu_seconds": [CPU_SECONDS, CPU_TICKS_SECONDS],
        "open_files": OPEN_FILES,
        "stack": STACK,
        "line": LINE,
        "stderr": [MAX_STDERR_BYTES, STDERR_DRAINED],
        "promised": PROMISED,
        "machine": platform.machine(),
        "python": list(sys.version_info[:3]),
    }


def policy_hash(given: Mapping[str, Any]) -> str:
    """SHA-256 of the facts as JSON with sorted keys, in hexadecimal."""
    return hashlib.sha256(json.dumps(given, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
