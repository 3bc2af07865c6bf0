"""A bot's own process, from the fork to its last line: restrict the process, read the bot's file, and play."""

from __future__ import annotations

import contextlib
import fcntl
import io
import linecache
import os
import random
import struct
import sys
import traceback
from types import ModuleType
from typing import Any, NoReturn

from games.sandbox import restrict

# The only descriptors of a bot, the last one only at first. 1 is the same as 2, so prints do not disturb the protocol.
ASKS, STDERR, ANSWERS, READ_HOLD = 0, 2, 3, 4
FILE = "bot.py"  # the name of the bot's file in tracebacks
HEADER = struct.Struct("<qI")  # stands before the source: the seed of `random` and the length of the source
CHUNK = 1 << 16  # bytes of a question that are read at once
# the lines that say that the process is restricted, and that the bot's file has run
LOCKED, LOADED = b"locked", b"loaded"


def live(filter_program: bytes, ends: list[int], sdk: ModuleType) -> NoReturn:
    """Run a bot in this process; never returns.

    `ends` are descriptors: of three pipes, to read questions and to write answers and stderr, and maybe of a socket for
    the read hold.
    """
    status = 1
    try:
        _take(ends)
        restrict.lock_down(filter_program, READ_HOLD if len(ends) > 3 else None)
        os.write(ANSWERS, LOCKED + b"\n")
        _play(sdk)
        status = 0
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(status & 255)


def _take(ends: list[int]) -> None:
    """Move the descriptors to their numbers, and close all others."""
    asks, answers, stderr, *hold = (fcntl.fcntl(end, fcntl.F_DUPFD, 64) for end in ends)
    places = [(asks, ASKS), (stderr, 1), (stderr, STDERR), (answers, ANSWERS), *((each, READ_HOLD) for each in hold)]
    for end, place in places:
        os.dup2(end, place)
    os.closerange(len(places), 1 << 16)
    os.setsid()
    sys.stdin = open(ASKS, closefd=False)  # noqa: SIM115
    # Nothing that it prints waits in a buffer, which would be lost when it is ended.
    unbuffered = io.FileIO(STDERR, "w", closefd=False)
    sys.stdout = sys.stderr = io.TextIOWrapper(unbuffered, "utf-8", "backslashreplace", write_through=True)


def _play(sdk: ModuleType) -> None:
    for name in [module for module in sys.modules if module.partition(".")[0] == "games"]:
        del sys.modules[name]
    seed, length = HEADER.unpack(_read(HEADER.size))
    source = _read(length)
    random.seed(seed)
    bot = sdk.find_bot(_run(source))
    os.write(ANSWERS, LOADED + b"\n")
    with open(ASKS, "rb", CHUNK, closefd=False) as asks, open(ANSWERS, "wb", closefd=False) as answers:
        sdk.serve(bot, asks, answers)


def _read(length: int) -> bytes:
    """Return exactly this many bytes, and read nothing after them."""
    parts = []
    while length and (part := os.read(ASKS, length)):
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _run(source: bytes) -> dict[str, Any]:
    """Return the names that the bot's file defines."""
    module = ModuleType("bot")
    module.__file__ = FILE
    sys.modules["bot"] = module
    text = source.decode("utf-8-sig", "replace")
    linecache.cache[FILE] = (len(source), None, text.splitlines(keepends=True), FILE)
    exec(compile(source, FILE, "exec", dont_inherit=True), module.__dict__)  # noqa: S102
    return module.__dict__
