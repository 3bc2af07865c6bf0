"""The limits of a sandboxed bot in one place, and the hash by which games remember them."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Mapping
from typing import Any, Final

from games.sandbox import seccomp

MEMORY: Final = 256 << 20  # bytes of address space
CPU_SECONDS: Final = 60  # of a bot's whole life, which is one game; the worker measures it and ends the bot
# Where the kernel ends a bot if the worker does not. The kernel counts the ticks at which it finds the bot running, and
# may count far more than the bot used. So this is far more than the 60 s that the worker grants.
CPU_TICKS_SECONDS: Final = 3600
OPEN_FILES: Final = 16
ROOT_BYTES: Final = 256 << 20  # at most, for a sandbox's copy of Python
ROOT_FILES: Final = 1 << 14
STACK: Final = 8 << 20
LINE: Final = 64 << 10  # bytes of an answer
STDERR_DRAINED: Final = 1 << 20  # after this many bytes nobody reads it, and the bot blocks

INSIDE_ID: Final = 65534  # the uid and gid that a bot sees for itself
NAMESPACES: Final = ("user", "mount", "pid", "net", "ipc", "uts", "cgroup")

# Modules that are loaded before a bot's file runs. Other C modules can't be imported, because no more code can be
# mapped.
PROMISED: Final = (
    "__future__",
    "abc",
    "argparse",
    "array",
    "ast",
    "base64",
    "binascii",
    "bisect",
    "builtins",
    "bz2",
    "calendar",
    "cmath",
    "cmd",
    "codecs",
    "collections",
    "collections.abc",
    "colorsys",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "dis",
    "enum",
    "errno",
    "fractions",
    "functools",
    "gc",
    "graphlib",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "inspect",
    "io",
    "itertools",
    "json",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "marshal",
    "math",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "pprint",
    "queue",
    "random",
    "re",
    "reprlib",
    "sched",
    "secrets",
    "select",
    "shlex",
    "signal",
    "statistics",
    "string",
    "struct",
    "sys",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "token",
    "tokenize",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "uuid",
    "warnings",
    "weakref",
    "zlib",
)
# Used by some of these modules internally. They are loaded early too, so that the first use needs no new code.
ALSO_LOADED: Final = ("_strptime", "asyncio", "encodings.idna", "encodings.latin_1", "importlib.util")


def facts(*, uid: str, landlock: int) -> dict[str, Any]:
    """Return the policy as it holds on this host.

    `uid` says which uid bots have outside; `landlock` is its version, or 0.
    """
    return {
        "version": 3,
        "namespaces": NAMESPACES,
        "uid": uid,
        "landlock": landlock,
        "seccomp": hashlib.sha256(seccomp.program() + seccomp.read_hold()).hexdigest(),
        "memory": [MEMORY, seccomp.ROOM_BYTES],
        "cpu_seconds": [CPU_SECONDS, CPU_TICKS_SECONDS],
        "open_files": OPEN_FILES,
        "stack": STACK,
        "line": LINE,
        "stderr": STDERR_DRAINED,
        "promised": PROMISED,
        "machine": platform.machine(),
        "python": list(sys.version_info[:3]),
    }


def policy_hash(given: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the facts as JSON with sorted keys, in hexadecimal."""
    return hashlib.sha256(json.dumps(given, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
