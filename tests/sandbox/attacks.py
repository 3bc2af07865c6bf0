"""The attacks that a bot might try on the sandbox, and their expected outcomes: the table of `python -m tests.sandbox`.

An attack is the file of a bot. It runs after `games.sandbox.selftest.PRELUDE`. Its outcome is one of:

    held            the bot reports that the kernel refused the attempt, which proves that the attempt was made
    a kind of fault the kernel or the worker ended the bot; the outcome is the name of the fault
    answered        the bot played on and did no harm

An attack of the group "memory" has two bots. The first has a message and tries to leave it behind. The second starts
after the first has ended and tries to find the message. The outcome is "held", or how much of the message it found.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import sysconfig
from pathlib import Path
from typing import Any, NamedTuple

from games.sandbox.faults import Fault
from games.sandbox.process import Answer, BotProcess
from games.sandbox.root import SAYS_NOTHING
from games.sandbox.selftest import HELD, PRELUDE
from games.sandbox.supervisor import PROJECT, Zygote

LONG_MS = 20_000  # for attacks that do not test time
HELLO = {
    "type": "hello", "kind": "palace", "seat": 0, "seats": 2, "options": {}, "rules_version": 1, "clock": {}, "seed": 7,
    "protocol": 1,
}  # fmt: skip


class Attack(NamedTuple):
    """`asks`: how many moves the bot is asked for after hello; `wall_ms`, `cpu_ms`: the bot's time for each line."""

    group: str
    name: str
    source: bytes
    ends: str = "held"
    asks: int = 0
    wall_ms: int = LONG_MS
    cpu_ms: int = LONG_MS
    pad: int = 0  # bytes added to every ask
    reader: bytes = b""  # the file of the second bot, if there is one
    elsewhere: bool = False  # the second bot runs in a sandbox of its own

    @property
    def title(self) -> str:
        return f"{self.group}: {self.name}"


def hello(process: BotProcess) -> Answer:
    return process.ask(json.dumps(HELLO).encode() + b"\n", wall_ms=LONG_MS, cpu_ms=LONG_MS)


def move(process: BotProcess, version: int, *, wall_ms: int = LONG_MS, cpu_ms: int = LONG_MS, pad: int = 0) -> Answer:
    asked = {"type": "move", "version": version, "events": [], "observation": {"pad": "x" * pad}, "legal": ["take"]}
    return process.ask(json.dumps(asked | {"clock_ms": 1000}).encode() + b"\n", wall_ms=wall_ms, cpu_ms=cpu_ms)


def outcome(zygote: Zygote, attack: Attack) -> str:
    """Make the attack and return its outcome."""
    if attack.reader:
        return remembered(zygote, attack)
    wall_ms, cpu_ms = (LONG_MS, LONG_MS) if attack.asks else (attack.wall_ms, attack.cpu_ms)
    try:
        process = BotProcess(zygote, PRELUDE + attack.source, wall_ms=wall_ms, cpu_ms=cpu_ms)
    except Fault as fault:
        return "held" if fault.stderr == HELD else fault.kind
    try:
        hello(process)
        for version in range(attack.asks):
            move(process, version, wall_ms=attack.wall_ms, cpu_ms=attack.cpu_ms, pad=attack.pad)
    except Fault as fault:
        return "held" if fault.stderr == HELD else fault.kind
    finally:
        process.close()
    return "answered"


BITS = 64
OFF_BY_CHANCE = 17  # bits away from 32 of 64: a guess is farther off once in 50,000 times


def remembered(zygote: Zygote, attack: Attack) -> str:
    """Return how much of the message the second bot finds, or "held" if that is what a guess would find.

    Two processes that run one after the other share a processor, and its caches reveal a little for a moment. So a
    result above chance is measured four more times, and all five count together: a real leak shows in each of them.
    """
    right, tries = bits_found(zygote, attack), 1
    if isinstance(right, int) and abs(right - BITS / 2) > OFF_BY_CHANCE:
        more = [bits_found(zygote, attack) for _ in range(4)]
        right, tries = right + sum(each for each in more if isinstance(each, int)), 5
    if isinstance(right, str):
        return right
    # The deviation that chance allows grows with the root of the number of bits.
    held = abs(right - tries * BITS / 2) <= OFF_BY_CHANCE * tries**0.5
    return "held" if held else f"{right} of {tries * BITS} bits"


def bits_found(zygote: Zygote, attack: Attack) -> int | str:
    """Return how many bits of a message the second bot finds, or a sentence if the attack could not be made."""
    chill(sysconfig.get_path("stdlib"))
    message, deal = f"{secrets.randbits(BITS):0{BITS}b}", f"DEAL = {secrets.token_hex(8)!r}\n"
    answer_of(zygote, f"{deal}MESSAGE = {message!r}\n".encode() + MEMORY + attack.source)
    other = Zygote() if attack.elsewhere else zygote
    try:
        found = answer_of(other, deal.encode() + MEMORY + attack.reader).strip()
    finally:
        if other is not zygote:
            other.close()
    if len(found) != BITS:
        return f"could not be made: {found[-200:]}"
    return sum(one == other for one, other in zip(message, found, strict=True))


def answer_of(zygote: Zygote, source: bytes) -> str:
    """Return what a file that is not a bot writes to its standard error."""
    try:
        BotProcess(zygote, PRELUDE + source, wall_ms=LONG_MS, cpu_ms=LONG_MS).close()
    except Fault as fault:
        return fault.stderr.decode()
    return ""


def chill(folder: str) -> None:
    """Drop the files of `folder` from memory, as on a host that has just started. Files in use stay in memory."""
    for within, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "site-packages"]
        for name in names:
            descriptor = os.open(f"{within}/{name}", os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def refused(group: str, name: str, *attempts: str, before: str = "") -> Attack:
    """Each attempt is a list of arguments for `refused` of the prelude."""
    checks = "\n".join(f"assert refused({each}), {each!r}" for each in attempts)
    return Attack(group, name, f"{before}\n{checks}\nreport(True)\n".encode())


def says(group: str, name: str, expression: str, before: str = "") -> Attack:
    """The sandbox holds the attack if `expression` is true."""
    return Attack(group, name, f"{before}\nreport({expression})\n".encode())


def deadly(group: str, name: str, number: int) -> Attack:
    """A system call for which the kernel must end the process."""
    return Attack(group, name, f"call({number}, 0, 0, 0, 0, 0, 0)\nreport(False)\n".encode(), ends="violation")


def in_move(group: str, name: str, body: str, ends: str, **more: Any) -> Attack:
    """A bot that runs this code when it is asked for a move; `n` counts the moves."""
    lines = "\n        ".join(body.splitlines())
    head = "class Bot:\n    n = 0\n    def move(self, view, legal):\n        self.n += 1\n        "
    source = f"{head}{lines}\n        return legal[0]\n"
    return Attack(group, name, source.encode(), ends, **({"asks": 1} | more))


def _unlike_itself(text: str) -> str:
    """A pattern that finds the text, but not itself."""
    return f"{re.escape(text[:-1])}[{text[-1]}]"


HOST = "|".join(_unlike_itself(path) for path in (str(PROJECT), sys.base_prefix) if path not in SAYS_NOTHING)
SHELLS = {line.rpartition(":")[2] for line in Path("/etc/passwd").read_text().splitlines()} - {"", "/bin/sh"}
ACCOUNTS = "|".join(sorted(map(_unlike_itself, SHELLS or {"root:x:0:0:"})))
SEARCH = """
import gc, re
def mapped(page):
    return libc.access(ctypes.c_void_p(page), 0) == 0 or ctypes.get_errno() != errno.EFAULT
def memory():
    libc.sbrk.restype = ctypes.c_long
    stack = ctypes.c_void_p.in_dll(libc, "environ").value
    done = set()
    for anchor in [stack, libc.sbrk(0) - 1, *map(id, gc.get_objects()), *map(id, sys.modules)]:
        first = last = anchor & -4096
        if first not in done and mapped(first):
            while mapped(first - 4096):
                first -= 4096
            while mapped(last):
                done.add(last)
                last += 4096
            done.update(range(first, last, 4096))
            yield ctypes.string_at(first, last - first)
def found(pattern):
    pattern = re.compile(pattern.encode())
    return {match[0] for part in memory() for match in pattern.finditer(part)}
"""

FILES = (
    says("files", "look for the host's files", "not any(map(os.path.exists, paths))",
         'paths = ["/etc/passwd", "/etc/shadow", "/bin/sh", "/dev/null", "/dev/shm", "/sys", "/tmp", "/run", "/var"]'),
    says("files", "read the worker's environment", "not os.environ and not any(map(libc.getenv, names))",
         "names = [b'PATH', b'HOME', b'DATABASE_URL', b'SECRET_KEY', b'SCOREBOOK_DEBUG']"),
    says("files", "look into /proc", 'not os.path.exists("/proc")'),
    says("files", "list the root", "sorted(os.listdir('/')) == ['bin', 'lib']"),
    says("files", "find where on the host they lie",
         f"not {HOST!r} or not any(re.search({HOST!r}, each) for each in told)",
         "import gc, re, sys, sysconfig, traceback\n"
         "functions = [each for each in gc.get_objects() if hasattr(each, '__code__')]\n"
         "told = [*sys.path, *sys.orig_argv, sys.executable, sys.prefix, *sysconfig.get_paths().values(),\n"
         "        *map(str, sysconfig.get_config_vars().values()), *traceback.format_stack(),\n"
         "        *(str(getattr(each, '__file__', '')) for each in sys.modules.values()),\n"
         "        *(each.__code__.co_filename for each in functions)]"),
    says("files", "find where on the host they lie, in memory", f"not {HOST!r} or not found({HOST!r})",
         "import sys" + SEARCH),
    says("files", "find what stands in the host's /etc/passwd in memory", f"not found({ACCOUNTS!r})",
         "import sys" + SEARCH),
    says("files", "climb out by ..", "os.stat('/' + '../' * 40).st_ino == os.stat('/').st_ino"),
    says("files", "read the host's packages beside the library", "not any(os.listdir(each) for each in there)",
         "here = os.path.dirname(os.__file__)\n"
         "there = [here + '/' + n for n in ('site-packages', 'dist-packages') if os.path.isdir(here + '/' + n)]"),
    says("files", "find a descriptor of the worker's", "opened == [0, 1, 2, 3]",
         "import fcntl\nopened = []\nfor n in range(4096):\n    try:\n        fcntl.fcntl(n, 1); opened.append(n)\n"
         "    except OSError:\n        pass"),
    says("files", "hold a folder open",
         "all(refused(call, 257, n, b'.', 0, 0, by=(errno.ENOTDIR,)) for n in range(4))"),
    refused("files", "make a file", 'os.open, "/x", os.O_CREAT | os.O_WRONLY', 'os.open, here, os.O_CREAT | os.O_RDWR',
            before='here = os.path.dirname(os.__file__) + "/x"'),
    refused("files", "change the library", "os.open, os.__file__, os.O_WRONLY", "os.open, os.__file__, os.O_RDWR",
            "os.truncate, os.__file__, 0", "os.unlink, os.__file__", "os.chmod, os.__file__, 0o777",
            "os.rename, os.__file__, '/x'", "os.utime, os.__file__", "os.chown, os.__file__, 0, 0"),
    refused("files", "make folders, links and devices", 'os.mkdir, "/x"', 'os.symlink, "/", "/x"',
            'os.link, os.__file__, "/x"', 'os.mknod, "/x", 0o20666, 0x103', 'os.mkfifo, "/x"'),
    refused("files", "make a file without a name", 'os.open, "/", os.O_TMPFILE | os.O_RDWR', 'os.memfd_create, "x"',
            "os.pipe"),
    refused("files", "mark a file", 'os.setxattr, os.__file__, "user.x", b"1"', 'os.getxattr, os.__file__, "user.x"'),
    refused("files", "ask about the file systems", 'os.statvfs, "/"', "call, 138, 0, 0", "call, 162"),
    deadly("files", "open by handle", 304), deadly("files", "name to handle", 303), deadly("files", "chroot", 161),
    deadly("files", "mount", 165), deadly("files", "umount", 166), deadly("files", "pivot_root", 155),
    deadly("files", "mount, the new way: open_tree", 428), deadly("files", "mount, the new way: move_mount", 429),
    deadly("files", "mount, the new way: fsopen", 430), deadly("files", "mount_setattr", 442),
)  # fmt: skip

PROCESSES = (
    refused("processes", "fork", "os.fork", "call, 57", "call, 58", "call, 56, 17, 0, 0, 0, 0"),
    refused("processes", "make a thread", "call, 56, 0x10f00, 0, 0, 0, 0", "call, 435, 0, 0, by=(errno.ENOSYS,)"),
    Attack("processes", "make a thread, politely", b"import threading\nthreading.Thread(target=print).start()",
           "start_crashed"),
    refused("processes", "run a program", 'os.execv, "/bin/sh", ["sh"]', "call, 322, 0, b'', 0, 0, 0x1000",
            'subprocess.run, ["/bin/sh"]', 'os.posix_spawn, "/bin/sh", ["sh"], {}', before="import subprocess"),
    Attack("processes", "run a shell", b"report(os.system('true') != 0)"),
    refused("processes", "signal all, the zygote, itself", "os.kill, -1, 9", "os.kill, 0, 19", "os.kill, 1, 31",
            "call, 234, 1, 1, 31", "call, 200, 1, 31", "os.killpg, 1, 9", "call, 129, 1, 31, 0"),
    refused("processes", "hold another by pidfd", "os.pidfd_open, 1", "call, 424, 0, 9, 0, 0"),
    says("processes", "see others", "os.getpid() == 1 and os.getppid() == 0"),
    refused("processes", "become somebody", "os.setuid, 0", "os.setresuid, 0, 0, 0", "os.setgid, 0", "os.setgroups, []",
            "os.seteuid, 1000", "call, 122, 0", "call, 126, 0, 0"),
    says("processes", "be somebody", "(os.getuid(), os.geteuid(), os.getgid(), os.getegid()) == (65534,) * 4"),
    refused("processes", "lift its own limits", "call, 302, 0, 9, 0, 0", "call, 160, 9, 0", "call, 317, 1, 0, 0",
            "call, 157, 4, 1, 0, 0, 0"),
    says("processes", "have generous limits",
         "[libc.getrlimit(n, limit) or limit[1] for n in range(10)][:8] and refused(call, 302, 0, 7, 0, 0)"
         " and limits[7] == 16 and limits[1] == 0 and limits[0] == 3600 and limits[4] == 0",
         "limit, limits = (ctypes.c_ulong * 2)(), {}\n"
         "for number in range(10):\n    call(97, number, limit)\n    limits[number] = limit[1]"),
    refused("processes", "go faster than others", "os.nice, -5", "os.setpriority, 0, 0, -5",
            "os.sched_setaffinity, 0, [0]", "os.sched_setscheduler, 0, 1, os.sched_param(1)", "call, 251, 1, 0, 0"),
    refused("processes", "leave its session", "os.setsid", "os.setpgid, 0, 0"),
    deadly("processes", "trace", 101), deadly("processes", "read another's memory", 310),
    deadly("processes", "write another's memory", 311), deadly("processes", "compare processes", 312),
    deadly("processes", "take another's descriptor", 438), deadly("processes", "leave its namespaces", 272),
    deadly("processes", "enter others", 308),
)  # fmt: skip

NETWORK = (
    refused("network", "open a socket of any family",
            *(f"call, 41, {family}, {kind}, 0" for family in (1, 2, 10, 16, 17, 29, 38, 40, 44) for kind in (1, 2, 3))),
    refused("network", "a pair of sockets", "call, 53, 1, 1, 0, b'12345678'", "call, 53, 1, 2, 0, b'12345678'"),
    refused("network", "use a pipe as a socket", "call, 42, 0, 0, 0", "call, 44, 3, b'x', 1, 0, 0, 0",
            "call, 47, 0, 0, 0"),
    refused("network", "rename the host", "call, 170, b'x', 1", "call, 171, b'x', 1"),
    says("network", "know the host's name", "os.uname().nodename == 'bot'"),
)  # fmt: skip

MAP = "READ, WRITE, RUN, PRIVATE, ANON = 1, 2, 4, 2, 32\n"
CODE = "libc.memmove.argtypes = None\ncode = bytes([0xc3])\n"
NATIVE = (
    says("native code", "map memory to run", "libc.mmap(None, 4096, READ | RUN, PRIVATE | ANON, -1, 0) == -1", MAP),
    says("native code", "map memory to write and run", "libc.mmap(None, 4096, 7, PRIVATE | ANON, -1, 0) == -1", MAP),
    says("native code", "map a file to run", "libc.mmap(None, 4096, READ | RUN, PRIVATE, file, 0) == -1",
         MAP + "file = os.open(os.__file__, os.O_RDONLY)"),
    refused("native code", "make memory run", "call, 10, page, 4096, READ | RUN", "call, 10, page, 4096, 7",
            "call, 329, page, 4096, RUN, -1", before=MAP + "page = ctypes.c_long(libc.mmap(None, 4096, 3, 34, -1, 0))"),
    Attack("native code", "jump into data", b"buffer = ctypes.create_string_buffer(b'\\xc3' * 64)\n"
           b"ctypes.CFUNCTYPE(None)(ctypes.addressof(buffer))()\nreport(False)", "start_crashed"),
    Attack("native code", "overwrite code", b"libc.memset(ctypes.cast(libc.getpid, ctypes.c_void_p), 0xc3, 1)\n"
           b"report(False)", "start_crashed"),
    Attack("native code", "load a library",
           b"try:\n    ctypes.CDLL('libutil.so.1')\nexcept OSError:\n    report(True)"),
    Attack("native code", "import a module in C that is not promised",
           b"try:\n    import _testcapi, _sqlite3, _curses\nexcept ImportError:\n    report(True)"),
    Attack("native code", "call by the other convention (x32)", b"call(0x40000000 | 39)\nreport(False)", "violation"),
    deadly("native code", "change its personality", 135), deadly("native code", "ports of the machine", 172),
    deadly("native code", "segments of its own", 154),
    Attack("native code", "bytecode that lies", b"f = lambda: 0\nc = bytes([100, 255, 83, 0])\n"
           b"lie = b'\\x97\\x00\\x90\\xff\\x90\\xff\\x64\\xff\\x53\\x00'\n"
           b"f.__code__ = f.__code__.replace(co_code=lie, co_consts=())\n"
           b"f()", "start_crashed"),
)  # fmt: skip

KERNEL = tuple(
    deadly("kernel", name, number)
    for name, number in {
        "bpf": 321, "io_uring": 425, "userfaultfd": 323, "perf events": 298, "secret memory": 447, "fanotify": 300,
        "add_key": 248, "request_key": 249, "keyctl": 250, "load a module": 175, "load a module from a file": 313,
        "kexec": 246, "reboot": 169, "swapon": 167, "accounting": 163, "the kernel's log": 103, "set the clock": 227,
    }.items()
)  # fmt: skip

CHANNELS = (
    refused("channels", "lock a file that all bots can read", "fcntl.flock, file, 1", "fcntl.lockf, file, 5, 1",
            "fcntl.fcntl, file, 36, bytes(32)", "fcntl.fcntl, file, 5, bytes(32)", "fcntl.fcntl, file, 1025",
            before="import fcntl\nfile = os.open(os.__file__, os.O_RDONLY)"),
    refused("channels", "lease, owner, signal, notes of a file", "fcntl.fcntl, file, 1024, 0",
            "fcntl.fcntl, file, 8, 1", "fcntl.fcntl, file, 10, 9", "fcntl.fcntl, file, 1026, 1",
            "fcntl.fcntl, file, 1033, 0",
            before="import fcntl\nfile = os.open(os.__file__, os.O_RDONLY)"),
    refused("channels", "the size of a pipe",
            *(f"fcntl.fcntl, {n}, {c}, 4096" for n in (0, 2, 3) for c in (1031, 1032)), before="import fcntl"),
    says("channels", "share a mapped page", "all(libc.mmap(None, 4096, 1, kind, file, 0) == -1 for kind in (1, 3))",
         "file = os.open(os.__file__, os.O_RDONLY)"),
    says("channels", "take of the host's huge pages",
         "libc.mmap(None, 1 << 21, 3, 0x40022, -1, 0) == -1 and ctypes.get_errno() == errno.EPERM"),
    refused("channels", "wake a sleeper of another process",
            *(f"call, 202, ctypes.byref(word), {op}, 1, 0, 0, 0" for op in (0, 1, 3, 4, 5, 6, 9, 10)),
            before="word = ctypes.c_int()"),
    refused("channels", "memory, semaphores and queues of System V and POSIX", "call, 29, 1, 4096, 0o1666",
            "call, 64, 1, 1, 0o1666", "call, 68, 1, 0o1666", "call, 240, b'/x', 66, 0o666, 0"),
    refused("channels", "watch files", "call, 253", "call, 294, 0", "call, 284, 0", "call, 290, 0, 0", "call, 291, 0"),
    refused("channels", "merge pages with others'", "call, 28, page, 4096, 12",
            before="page = ctypes.c_long(libc.mmap(None, 4096, 3, 34, -1, 0))"),
    refused("channels", "ask which pages are in memory", "call, 27, page, 4096, b'x'", "call, 451, 0, 0, 0, 0",
            before="page = ctypes.c_long(libc.mmap(None, 4096, 3, 34, -1, 0))"),
    refused("channels", "read the host's load and free memory", "call, 99, ctypes.create_string_buffer(128)"),
    refused("channels", "clocks of other processes", *(f"time.clock_gettime, (~{pid} << 3) | 2" for pid in (2, 9, 99)),
            before="import time\nerrno.EPERM = errno.EINVAL\nglobals()['refused'].__defaults__ = None\n"
            "refused.__kwdefaults__ = {'by': (errno.EINVAL,)}"),
    refused("channels", "an alarm that goes off while another bot is asked", "signal.setitimer, 0, 0.001, 0.001",
            "call, 37, 1", "call, 36, 0, 0", "call, 222, 0, 0, 0", "call, 283, 1, 0", before="import signal"),
    refused("channels", "read the numbers of its pipes, which count all pipes of the host",
            *(f"os.fstat, {n}" for n in range(4)), *(f"call, 332, {n}, b'', 0x1000, 0x7ff, space" for n in range(4)),
            *(f"call, 262, {n}, b'', space, 0x1000" for n in range(4)), "os.dup, 0", "os.dup2, 0, 5",
            "os.dup2, 0, 5, False", "fcntl.fcntl, 0, 0, 5", "fcntl.fcntl, 0, 1030, 5",
            before="import fcntl\nspace = ctypes.create_string_buffer(512)"),
    refused("channels", "feel how many huge pages the host has left", "call, 28, page, 4096, 14",
            before="page = ctypes.c_long(libc.mmap(None, 4096, 3, 34, -1, 0))"),
    refused("channels", "splice, tee and send between pipes", "call, 275, 0, 0, 3, 0, 1, 0", "call, 276, 0, 3, 1, 0",
            "call, 278, 3, 0, 0, 0", "call, 40, 3, 0, 0, 1", "call, 326, 0, 0, 3, 0, 1, 0"),
    refused("channels", "push on its own pipes' settings", "fcntl.ioctl, 0, 0x5421, bytes(4)",
            "fcntl.ioctl, 3, 0x5452, bytes(4)", "fcntl.ioctl, 2, 0x5412, b'x'", before="import fcntl"),
)  # fmt: skip

# What both bots know. Each bit has two places. The first bot visits the place named like the bit. The second bot
# measures which of the two looks more like a visited place. `DEAL` is what both bots see of the game.
MEMORY = b"""
import resource, time
BITS, TRIES = 64, 8
LIBRARY = os.path.dirname(os.__file__)
def timed(attempt, *arguments):
    began = time.perf_counter_ns()
    attempt(*arguments)
    return time.perf_counter_ns() - began
def leave(visit):
    for number, bit in enumerate(MESSAGE):
        visit(number, int(bit))
    raise SystemExit
def find(warmth):
    raise SystemExit(print("".join("01"[warmth(n, 1) > warmth(n, 0)] for n in range(BITS))))
"""
NAMES = b"""
def names(number, bit):
    return [f"{LIBRARY}/{DEAL}-{number}-{bit}-{n}" for n in range(TRIES)]
"""
LEAVE_NAMES = NAMES + b"leave(lambda *place: [os.access(name, 0) for name in names(*place)])"
FIND_NAMES = (
    NAMES
    + b"""
def warmth(*place):  # a name that was asked for before takes as long the first time as the second
    return sorted(timed(os.access, name, 0) - timed(os.access, name, 0) for name in names(*place))[TRIES // 2] * -1
find(warmth)
"""
)
FILES_OF_LIBRARY = b"""
def large():
    for folder, folders, files in os.walk(LIBRARY):
        folders.sort()
        for name in sorted(files):
            if name.endswith(".py") and os.stat(f"{folder}/{name}").st_size > 5000 and "/" in folder[len(LIBRARY):]:
                yield f"{folder}/{name}"
FOUND = list(large())[:2 * BITS]
assert len(FOUND) == 2 * BITS, len(FOUND)
def read(number, bit):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_inblock
    open(FOUND[2 * number + bit], "rb").read(1)
    return before - resource.getrusage(resource.RUSAGE_SELF).ru_inblock
"""
CACHED = b"""
FILES = sorted(f"{folder}/{name}" for folder, _, names in os.walk(LIBRARY) for name in names)
LARGE = [name for name in FILES if os.stat(name).st_size > 1 << 15 and name.endswith((".py", ".pyc"))]
assert len(LARGE) >= 2 * BITS, len(LARGE)
def read(number, bit):
    file = os.open(LARGE[2 * number + bit], os.O_RDONLY)
    taken = timed(os.pread, file, 1 << 15, 0)
    os.close(file)
    return -taken
read(0, 0), read(0, 1)
"""
REMEMBERING = (
    Attack("memory", "by names that do not exist, in another sandbox", LEAVE_NAMES, reader=FIND_NAMES, elsewhere=True),
    Attack("memory", "by names that do not exist, in the same sandbox", LEAVE_NAMES, reader=FIND_NAMES),
    Attack("memory", "by which files of the library have been read from the disk", FILES_OF_LIBRARY + b"leave(read)",
           reader=FILES_OF_LIBRARY + b"find(read)", elsewhere=True),
    Attack("memory", "by what lies in the processor's caches, in another sandbox",
           CACHED + b"for _ in range(20): [read(n, int(bit)) for n, bit in enumerate(MESSAGE)]\nraise SystemExit",
           reader=CACHED + b"find(read)", elsewhere=True),
)  # fmt: skip

BUDGET: dict[str, Any] = {"cpu_ms": 60}
SHORT: dict[str, Any] = {"wall_ms": 150}
MAPPINGS = """
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
ROOM, END = 0x7000_0000_0000, 0x7000_2000_0000
long = ctypes.c_long
def new(size=4096, access=3, address=None, flags=34):
    return libc.mmap(address, size, access, flags, -1, 0)
def denied(number, *arguments):
    return refused(call, number, *map(long, arguments), by=(errno.EPERM,))
page, heap = new(), ctypes.addressof(ctypes.create_string_buffer(9)) & -4096
"""
KERNEL_MEMORY = (
    says("kernel memory", "map a page where it wants",
         "all(new(address=k << 30) == -1 for k in range(1, 1 << 17, 99)) and new(address=page) == -1"
         " and new(address=1 << 40, flags=0x10_0032) == -1 and new(address=page, flags=0x32) == -1", MAPPINGS),
    says("kernel memory", "map a page far from all others",
         "all(ROOM <= new(size) < END for size in (4096, 1 << 20)) and new(flags=0x62) == -1", MAPPINGS),
    says("kernel memory", "move a mapping",
         "denied(25, page, 4096, 4096, 3, 1 << 40) and denied(25, page, 4096, 4096, 5)"
         " and denied(25, page, 4096, 1 << 40, 1) and denied(25, heap, 4096, 8192, 1)", MAPPINGS),
    says("kernel memory", "free the addresses that are taken",
         "denied(11, 1 << 40, 1 << 30) and denied(11, ROOM - 4096, 8192) and denied(11, END - 4096, 8192)"
         " and denied(11, page, 1 << 40) and denied(11, page, -page) and denied(11, ROOM, (1 << 32) - 4096)"
         " and denied(11, heap, 4096) and not denied(11, page, 4096)", MAPPINGS),
    says("kernel memory", "open the addresses that are taken",
         "denied(10, 1 << 40, 4096, 3) and denied(10, page, 4096, 1) and denied(329, 1 << 40, 4096, 3, -1)", MAPPINGS),
    says("kernel memory", "split a mapping by advice",
         "all(denied(28, page, 4096, n) for n in (0, 1, 2, 10, 15, 16, 18))", MAPPINGS),
    says("kernel memory", "grow by the heap", "libc.sbrk(long(1 << 28)) == -1",
         MAPPINGS + "libc.sbrk.restype = long"),
    refused("kernel memory", "things that the kernel keeps: pipes, events, timers, watches, queues, rings", "os.pipe",
            "call, 293, room, 0", "call, 284, 0", "call, 290, 0, 0", "call, 283, 1, 0", "call, 222, 1, 0, room",
            "call, 213, 1", "call, 291, 0", "call, 253", "call, 294, 0", "call, 206, 9, room",
            "call, 282, -1, room, 8, 0", "call, 289, -1, room, 8, 0", "call, 319, b'x', 0", "call, 444, room, 8, 0",
            "call, 446, 0, 0", "call, 317, 1, 0, room", "call, 157, 22, 2, room", "call, 149, page, 4096",
            "call, 151, 3",
            before="room = ctypes.create_string_buffer(64)\npage = ctypes.c_long(libc.mmap(None, 4096, 3, 34, -1, 0))"),
)  # fmt: skip

LIMITS = (
    Attack("limits", "compute without end on import", b"while True: pass", "cpu_limit", **BUDGET),
    Attack("limits", "sleep on import", b"import time\ntime.sleep(60)", "start_timeout", **SHORT),
    Attack("limits", "wait for itself", b"import signal\nsignal.alarm(0)\nos.read(0, 1)", "start_timeout", **SHORT),
    Attack("limits", "block every signal and compute", b"import signal\n"
           b"signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass", "cpu_limit", **BUDGET),
    Attack("limits", "catch what would end it", b"import signal\nfor n in (24, 15, 2, 18):\n"
           b"    signal.signal(n, signal.SIG_IGN)\nwhile True: pass", "cpu_limit", **BUDGET),
    Attack("limits", "a power too far", b"x = 9 ** 9 ** 9", "cpu_limit", **BUDGET),
    Attack("limits", "a pattern that explodes", b"import re\nre.match('(a*)*b', 'a' * 64)", "cpu_limit", **BUDGET),
    Attack("limits", "a gigabyte", b"try:\n    bytearray(1 << 30)\nexcept MemoryError:\n    report(True)"),
    says("limits", "a gigabyte of address space", "libc.mmap(None, 1 << 30, 3, 34, -1, 0) == -1"),
    Attack("limits", "memory, bit by bit", b"x = []\nwhile True: x.append(bytearray(1 << 20))", "start_crashed"),
    Attack("limits", "lock memory in place", b"report(libc.mlock(ctypes.create_string_buffer(9), 9) == -1)"),
    Attack("limits", "a bomb to decompress", b"import zlib\nbomb = zlib.compress(bytes(1 << 25), 1)\n"
           b"data = b''.join(zlib.decompress(bomb) for _ in range(64))", "start_crashed"),
    Attack("limits", "recursion without end", b"import sys\nsys.setrecursionlimit(1 << 30)\n"
           b"def f(): x = bytearray(1 << 18); f()\nf()", "start_crashed"),
    Attack("limits", "recursion in C without end", b"x = ()\nfor _ in range(10 ** 6): x = (x,)\nhash(x)",
           "start_crashed"),
    Attack("limits", "an expression too deep for the parser", b"eval('(' * 100000 + ')' * 100000)", "start_crashed"),
    Attack("limits", "hundreds of descriptors", b"try:\n    [os.open('/', 0) for _ in range(99)]\n"
           b"except OSError as e:\n    report(e.errno == errno.EMFILE)"),
    Attack("limits", "a flood on the standard error", b"while True: os.write(2, b'x' * 65536)", "start_timeout",
           **SHORT),
    Attack("limits", "a flood of prints", b"while True: print('x' * 65536)", "start_timeout", **SHORT),
    Attack("limits", "an answer without end", b"while True: os.write(3, b'x' * 4096)", "bad_reply"),
    Attack("limits", "answers without end", b"while True: os.write(3, b'{}\\n' * 1000)", "bad_reply"),
    Attack("limits", "close every descriptor", b"os.closerange(0, 16)\nwhile True: pass", "start_crashed"),
    Attack("limits", "close what it is asked by",
           b"os.close(0)\nclass Bot:\n    def move(self, view, legal): return 'x'",
           "crashed"),
)  # fmt: skip

DYING = (
    Attack("dying", "leave politely", b"raise SystemExit(0)", "start_crashed"),
    Attack("dying", "leave at once", b"os._exit(0)", "start_crashed"),
    Attack("dying", "leave as if the host had failed", b"os._exit(137)", "start_crashed"),
    Attack("dying", "abort", b"os.abort()", "start_crashed"),
    Attack("dying", "read at address 0", b"ctypes.string_at(0)", "start_crashed"),
    Attack("dying", "raise", b"1 / 0", "start_crashed"),
    Attack("dying", "raise what nobody catches", b"raise BaseException('\\udcff' * 9)", "start_crashed"),
    Attack("dying", "break the way out",
           b"import sys\nsys.stderr = sys.stdout = None\nraise ValueError", "start_crashed"),
    Attack("dying", "no Python", b"\xff\xfe(", "start_crashed"),
    Attack("dying", "a null byte", b"x = 1\0", "start_crashed"),
    Attack("dying", "no bot in the file", b"x = 1", "start_crashed"),
    Attack("dying", "a bot that can't play", b"class Bot: pass", "start_crashed"),
)  # fmt: skip

SPEAK = "import json\ndef speak(n): os.write(3, json.dumps({'move': 'take', 'version': n}).encode() + b'\\n')\n"
SPEAKING = (
    in_move("speaking", "answer", "pass", "answered", asks=3),
    in_move("speaking", "compute without end", "while True: pass", "cpu_limit", **BUDGET),
    in_move("speaking", "sleep", "import time; time.sleep(60)", "timeout", **SHORT),
    in_move("speaking", "raise", "1 / 0", "crashed"),
    in_move("speaking", "leave", "os._exit(0)", "crashed"),
    in_move("speaking", "leave after an answer", f"{SPEAK}speak(view.version)\nos._exit(0)", "crashed", asks=2),
    in_move("speaking", "trace", "call(101, 0, 0, 0, 0)", "violation"),
    in_move("speaking", "answer twice", f"{SPEAK}speak(view.version)", "answered", asks=3),
    in_move("speaking", "answer what will be asked", f"{SPEAK}speak(view.version + 1)", "answered", asks=3),
    in_move("speaking", "half an answer, then none", "os.write(3, b'{\"move')\nimport time; time.sleep(60)", "timeout",
            **SHORT),
    in_move("speaking", "an answer of a megabyte", "os.write(3, b'x' * (1 << 20))", "bad_reply"),
    in_move("speaking", "close its mouth", "os.close(3)\nwhile True: pass", "crashed"),
    in_move("speaking", "close its ears", "os.close(0)", "crashed", asks=2),
    in_move("speaking", "return no move", "return 7", "crashed"),
    in_move("speaking", "not listen to a long ask",
            "import time\nif self.n == 1: return legal[0]\ntime.sleep(60)", "timeout", asks=2, pad=1 << 20, **SHORT),
    in_move("speaking", "hear a long ask", "assert len(view['pad']) == 1 << 20", "answered", asks=2, pad=1 << 20),
    in_move("speaking", "a flood of prints", "while True: print('x' * 9999)", "timeout",
            **SHORT),
    in_move("speaking", "chat a lot", "print('x' * 99_999)", "answered", asks=5),
    in_move("speaking", "answer and compute on", f"{SPEAK}speak(view.version)\nwhile True: pass", "cpu_limit", asks=2,
            **BUDGET),
    in_move("speaking", "answer and sleep on", f"{SPEAK}speak(view.version)\nimport time; time.sleep(60)", "timeout",
            asks=2, **SHORT),
    in_move("speaking", "come to be asked time and again", "while True: os.read(0, 0)", "timeout", **SHORT),
    in_move("speaking", "be asked by a file of the library",
            "os.close(0)\nos.open(os.__file__, os.O_RDONLY)", "crashed", asks=2),
    in_move("speaking", "close its standard error", "os.close(1)\nos.close(2)", "answered", asks=1),
)  # fmt: skip

ATTACKS = (
    *FILES,
    *PROCESSES,
    *NETWORK,
    *NATIVE,
    *KERNEL,
    *CHANNELS,
    *REMEMBERING,
    *KERNEL_MEMORY,
    *LIMITS,
    *DYING,
    *SPEAKING,
)
