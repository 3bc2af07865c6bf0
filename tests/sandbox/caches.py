"""Measures what a bot can tell a bot of another sandbox by the processor's caches, if the two are asked in turn.

    python -m tests.sandbox.caches [--runs 8]

For each bit, the sender uses one of two places again and again. Then the receiver measures which of the two is faster.
Prints how many of 384 bits came through in each run; 192 are chance. Before each message the places are removed from
the caches, as if nobody had used them for long, except for the kernel's own code, for which nobody can do that. The
last line has places that the two do not share: it shows what the measurement itself adds.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import mmap
import os
import secrets
import statistics
from collections.abc import Callable

from games.sandbox import self_check
from games.sandbox.process import BotProcess
from games.sandbox.selftest import PRELUDE
from games.sandbox.supervisor import Zygote
from tests.sandbox.attacks import LONG_MS

BITS, LINE, PAGE = 16, 64, 4096
RUN = 384 // BITS  # messages
VDSO_ADDRESS = 33  # AT_SYSINFO_EHDR

READ = b"""
import random, time
def use(place):
    place[0]
def byte(address):
    return (ctypes.c_ubyte * 1).from_address(address)
"""
PLACES = {
    "the vDSO": READ + b"""
libc.getauxval.restype = ctypes.c_ulong
vdso = libc.getauxval(ctypes.c_ulong(33))
places = [[byte(vdso + 256 * n + 4096 * bit) for bit in (0, 1)] for n in range(16)]
""",
    "the zero page": READ + b"""
page = libc.mmap(None, 4096, 3, 34, -1, 0)
places = [[byte(page + 256 * n + 128 * bit) for bit in (0, 1)] for n in range(16)]
""",
    "the kernel's code": b"""
import random, time
room, none = ctypes.create_string_buffer(4096), ctypes.create_string_buffer(64)
calls = [(79, room, 4096), (97, 7, room), (63, room), (318, room, 8, 0), (100, room), (229, 1, room), (98, 0, room),
         (14, 0, 0, room, 8), (13, 10, 0, room, 8), (131, 0, room), (204, 0, 128, room), (7, room, 0, 0),
         (4, b"/", room), (21, b"/bin", 0), (89, b"/bin", room, 99), (24,), (218, room), (16, 1, 0x541b, room),
         (72, 1, 3), (102,), (110,), (96, room, 0), (201, room), (35, 0, 0), (267, -100, b"/lib", room, 99),
         (269, -100, b"/lib", 4), (12, 0), (23, 0, 0, 0, 0, none), (8, 1, 0, 0), (17, 9, room, 1, 0), (19, 9, room, 0),
         (20, 9, room, 0)]
places = [calls[2 * n : 2 * n + 2] for n in range(16)]
def use(place):
    libc.syscall(*place)
""",
    "nothing": READ + b"""
own = ctypes.create_string_buffer(bytes([1]) * 16384, 16384)
first = (ctypes.addressof(own) + 4095) & -4096
places = [[byte(first + 256 * n + 4096 * bit) for bit in (0, 1)] for n in range(16)]
""",
}  # fmt: skip
LOADED = b"\nos.write(3, b'loaded\\n')\n"
SENDER = (
    LOADED
    + b"""
while True:
    used = [places[n][int(bit)] for n, bit in enumerate(os.read(0, 4096).decode().strip())]
    for _ in range(300):
        for place in used:
            use(place)
    os.write(3, b"sent\\n")
"""
)
RECEIVER = b"""
clock = time.perf_counter_ns
def timed(place):
    began = clock()
    use(place)
    return clock() - began
order = [(n, bit) for n in range(16) for bit in (0, 1)]
usual = {(n, bit): sorted(timed(places[n][bit]) for _ in range(50))[25] for n, bit in order}
""" + LOADED + b"""
while True:
    os.read(0, 4096)
    random.shuffle(order)
    for _ in range(300):
        clock()
    taken = {(n, bit): timed(places[n][bit]) - usual[n, bit] for n, bit in order}
    os.write(3, b"%s\\n" % "".join("01"[taken[n, 1] < taken[n, 0]] for n in range(16)).encode())
"""  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=8)
    given = parser.parse_args()
    os.environ.setdefault(self_check.SHARED_ALLOWED, "1")
    one, other = Zygote(), Zygote()
    try:
        make_cold = shared_pages_remover()
        print(f"bits of 384, bots' uid: {one.uid}, load {os.getloadavg()[0]:.1f}")
        for name, places in PLACES.items():
            found = [bits_through(places, one, other, make_cold) for _ in range(given.runs)]
            print(f"  by {name:18} {json.dumps(found)}, mean {statistics.mean(found):.0f}", flush=True)
    finally:
        one.close()
        other.close()


def bits_through(places: bytes, one: Zygote, other: Zygote, make_cold: Callable[[], None]) -> int:
    sender = BotProcess(one, PRELUDE + places + SENDER, wall_ms=LONG_MS, cpu_ms=LONG_MS)
    receiver = BotProcess(other, PRELUDE + places + RECEIVER, wall_ms=LONG_MS, cpu_ms=LONG_MS)
    right = 0
    for _ in range(RUN):
        make_cold()
        message = f"{secrets.randbits(BITS):0{BITS}b}"
        sender.ask(message.encode() + b"\n", wall_ms=LONG_MS, cpu_ms=LONG_MS)
        heard = receiver.ask(b"?\n", wall_ms=LONG_MS, cpu_ms=LONG_MS).line.decode()
        right += sum(bit == sentence for bit, sentence in zip(message, heard, strict=True))
    sender.close()
    receiver.close()
    return right


def shared_pages_remover() -> Callable[[], None]:
    """Return a function that removes the vDSO and the zero page from all caches."""
    libc = ctypes.CDLL(None)
    libc.getauxval.restype, libc.mmap.restype = ctypes.c_ulong, ctypes.c_long
    vdso = libc.getauxval(ctypes.c_ulong(VDSO_ADDRESS))
    zeros = libc.mmap(None, PAGE, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    ctypes.string_at(zeros, PAGE)
    code = mmap.mmap(-1, PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes.fromhex("0fae3f0faef0c3"))  # clflush [rdi]; mfence; ret
    remove = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.addressof(ctypes.c_char.from_buffer(code)))

    def make_cold(_kept: mmap.mmap = code) -> None:
        for page in (vdso, vdso + PAGE, zeros):
            for place in range(page, page + PAGE, LINE):
                remove(place)

    return make_cold


if __name__ == "__main__":
    main()
