"""Six attacks that every worker makes on its own sandbox before it runs anybody's bot.

Each attack is a bot's file. If the kernel must refuse, the attack itself writes that it was held, which proves that it
was made. If the kernel must end the process, the fault shows it.
"""

from __future__ import annotations

from typing import NamedTuple

HELD = b"held\n"
# Functions for all attacks. `refused` runs something and returns whether the kernel refused it.
PRELUDE = b"""
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = libc.mmap.restype = ctypes.c_long
def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def refused(attempt, *arguments, by=(errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOENT)):
    try:
        attempt(*arguments)
    except OSError as error:
        return error.errno in by
    return False
def report(held):
    raise SystemExit(print("held" if held else "broken"))
"""


class Attack(NamedTuple):
    """One attack.

    `ends` is the fault by which the kernel must end it, or None if the file itself reports that it was held.
    """

    name: str
    source: bytes
    ends: str | None = None


ATTACKS = (
    Attack(
        "files: read the host's, write one, leave the root",
        b"""
paths = "/etc/passwd", "/bin/sh", "/proc/self", "/dev/null", "/dev/shm", "/tmp", "/sys", "/run"
report(not any(os.path.exists(path) for path in paths)
       and refused(os.open, "/x", os.O_CREAT | os.O_WRONLY) and refused(os.open, os.__file__, os.O_WRONLY)
       and refused(os.mkdir, "/x") and os.getuid() == 65534)
""",
    ),
    Attack(
        "processes: fork, make a thread, run a program, signal one",
        b"""
report(refused(os.fork) and refused(os.execv, "/bin/sh", ["sh"]) and refused(os.kill, -1, 9)
       and refused(call, 56, 0x10f00, 0, 0, 0, 0))
""",
    ),
    Attack(
        "network: any socket",
        b"""
report(all(refused(call, 41, family, kind, 0) for family in (1, 2, 10, 16, 40) for kind in (1, 2, 3)))
""",
    ),
    Attack(
        "native code: map or make memory that can be executed",
        b"""
private, anonymous, read, execute = 2, 32, 1, 4
page = libc.mmap(None, 4096, read, private | anonymous, -1, 0)
report(page > 0 and libc.mmap(None, 4096, read | execute, private | anonymous, -1, 0) == -1
       and refused(call, 10, ctypes.c_long(page), 4096, read | execute))
""",
    ),
    Attack(
        "channels: lock a file that all can read, size a pipe, share a page, wake a sleeper",
        b"""
import fcntl
shared = os.open(os.__file__, os.O_RDONLY)
word, wake = ctypes.c_int(), 1
report(refused(fcntl.flock, shared, 1) and refused(fcntl.lockf, shared, 1 | 4, 1)
       and refused(fcntl.fcntl, 0, 1031, 4096) and libc.mmap(None, 4096, 1, 1, shared, 0) == -1
       and refused(call, 202, ctypes.byref(word), wake, 1, 0, 0, 0))
""",
    ),
    Attack("kernel: trace a process", b"call(101, 0, 0, 0, 0)\nreport(False)\n", ends="violation"),
)
