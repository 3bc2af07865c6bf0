"""What a bot takes of the host's memory: its pages, and what the kernel keeps because of it."""

from __future__ import annotations

import os
import resource

import pytest

from games.sandbox import address_space, memory, policy, seccomp
from games.sandbox.address_space import HIGHEST, LOWEST, gaps
from games.sandbox.process import BotProcess
from games.sandbox.supervisor import Zygote
from tests.sandbox.test_sandboxed_process import PLAIN, sandboxed, status

MIB = 1 << 20
CALLS = b"""
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_long
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
"""
A_PAGE_IN_EACH_GIB = b"""
for n in range(1, 56_000):
    page = libc.mmap(n << 30, 4096, 1, 34, -1, 0)
    if page > 0:
        ctypes.string_at(page, 1)
"""
A_PAGE_OF_EACH_MAPPING = b"""
for size in (1 << 26, 1 << 22):
    while (page := libc.mmap(None, size, 3, 34, -1, 0)) > 0:
        ctypes.string_at(page, 1)
        libc.munmap(page + 4096, size - 4096)
"""


@pytest.mark.parametrize("attack", [A_PAGE_IN_EACH_GIB, A_PAGE_OF_EACH_MAPPING])
def test_pages_far_from_one_another_take_no_memory_of_the_kernel(zygote: Zygote, attack: bytes) -> None:
    """Without the room they took 448 and 236 MiB of page tables, while 3 MiB were counted."""
    process = sandboxed(zygote, CALLS + attack + PLAIN)
    assert page_tables(process) < 4 * MIB
    process.close()


def page_tables(process: BotProcess) -> int:
    return int(status(process.pid)["VmPTE"].split()[0]) << 10


def test_an_idle_bot_takes_little(zygote: Zygote) -> None:
    process = sandboxed(zygote, PLAIN)
    assert memory.IDLE_BYTES < process.memory() < 8 * MIB
    process.close()


def test_many_mappings_of_a_page_are_counted(zygote: Zygote) -> None:
    """The kernel keeps 10 to 20 MiB about them, though the bot has written none of the pages."""
    source = CALLS + b"assert all(libc.mmap(None, 4096, 1 + 2 * (n % 2), 34, -1, 0) > 0 for n in range(50_000))\n"
    process = sandboxed(zygote, source + PLAIN)
    assert process.memory() > 20 * MIB
    process.close()


def test_pages_of_the_zygote_that_a_bot_has_written_are_counted(zygote: Zygote) -> None:
    """The bot's resident pages are as many as before."""
    source = (
        CALLS
        + b"""
libc.sbrk.restype = ctypes.c_long
end = libc.sbrk(0) & -4096
for page in range(end - 4096, end - (3 << 20), -4096):
    ctypes.memset(page, ctypes.string_at(page, 1)[0], 1)
"""
    )
    idle, writing = sandboxed(zygote, PLAIN), sandboxed(zygote, source + PLAIN)
    assert writing.memory() > idle.memory() + 2 * MIB
    idle.close()
    writing.close()


def test_a_bot_whose_memory_cannot_be_known_takes_all_that_it_may() -> None:
    assert memory.memory_of(1 << 30, os.getpid()) > policy.MEMORY


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_a_bot_has_its_memory_in_the_room_also_where_the_host_sets_no_limit_to_stacks() -> None:
    """Else it could not give memory back, and had none after a few large lists."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    try:
        zygote = Zygote()
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
    source = CALLS + b"print(libc.mmap(None, 4096, 3, 34, -1, 0))\n"
    process = sandboxed(zygote, source + PLAIN)
    assert 0 <= int(process.stderr()) - seccomp.ROOM < seccomp.ROOM_BYTES
    process.close()
    zygote.close()


def test_where_the_kernel_gives_memory_elsewhere_there_is_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address_space, "gaps", lambda used: [])
    with pytest.raises(OSError, match="at other addresses than those where it is bounded"):
        address_space.bound(os.open("/proc/self", os.O_RDONLY))


def test_all_addresses_are_taken_but_the_room() -> None:
    room = (seccomp.ROOM, seccomp.ROOM + seccomp.ROOM_BYTES)
    used = [(1 << 40, 1 << 41), (HIGHEST - 4096, HIGHEST), (2**64 - (10 << 20), 2**64 - (9 << 20))]
    taken = gaps(used)
    assert taken == [(LOWEST, 1 << 40), (1 << 41, room[0]), (room[1], HIGHEST - 4096)]


def test_a_room_that_is_in_use_is_refused() -> None:
    with pytest.raises(OSError, match="addresses for the bots' memory are in use"):
        gaps([(seccomp.ROOM + 4096, seccomp.ROOM + 8192)])
