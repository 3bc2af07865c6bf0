"""A bot's own process, from the fork to its last line: lock everything, read the bot's file, and play."""

from __future__ import annotations

import contextlib
import fcntl
import linecache
import os
import random
import struct
import sys
import traceback
from types import ModuleType
from typing import Any, NoReturn

from games.sandbox import restrict

ASKS, STDERR, ANSWERS, READ_HOLD = (
    0,
    2,
    3,
    4,
)  # the only descriptors of a bot, but for the last; 1 is 2, so that prints spoil nothing
FILE = "bot.py"  # what tracebacks call the bot's file
HEADER = struct.Struct("<qI")  # what `random` starts from, length of the source: what comes before the source
CHUNK = 1 << 16  # of an ask that is read at once
LOCKED, LOADED = b"locked", b"loaded"  # lines that say that all is locked, and that the bot's file has run


def live(filter_program: bytes, ends: list[int], sdk: ModuleType) -> NoReturn:
    """`ends`: of pipes, asks to read, answers and stderr to write; and of a socket for the read hold, if there is to be
    one. Never returns."""
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
    """Put them where they belong, and close every other descriptor."""
    asks, answers, stderr, *hold = (fcntl.fcntl(each, fcntl.F_DUPFD, 64) for each in ends)
    places = [(asks, ASKS), (stderr, 1), (stderr, STDERR), (answers, ANSWERS), *((each, READ_HOLD) for each in hold)]
    for end, place in places:
        os.dup2(end, place)
    os.closerange(len(places), 1 << 16)
    os.setsid()
    sys.stdin = open(ASKS, closefd=False)  # noqa: SIM115
    sys.stdout = sys.stderr = open(STDERR, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115


def _play(sdk: ModuleType) -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] == "games"]:
        del sys.modules[name]
    seed, length = HEADER.unpack(_read(HEADER.size))
    source = _read(length)
    random.seed(seed)
    bot = sdk.find_bot(_run(source))
    os.write(ANSWERS, LOADED + b"\n")
    with open(ASKS, "rb", CHUNK, closefd=False) as asks, open(ANSWERS, "wb", closefd=False) as answers:
        sdk.serve(bot, asks, answers)


def _read(length: int) -> bytes:
    """Exactly so much, and nothing of what follows."""
    parts = []
    while length and (part := os.read(ASKS, length)):
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _run(source: bytes) -> dict[str, Any]:
    """The names that the bot's file defines."""
    module = ModuleType("bot")
    module.__file__ = FILE
    sys.modules["bot"] = module
    text = source.decode("utf-8-sig", "replace")
    linecache.cache[FILE] = (len(source), None, text.splitlines(keepends=True), FILE)
    exec(compile(source, FILE, "exec", dont_inherit=True), module.__dict__)  # noqa: S102
    return module.__dict__
