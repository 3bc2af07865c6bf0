"""Bounds what the kernel has to remember about a bot's memory.

The kernel keeps a table for every 2 MiB of addresses in which a process has a page, even a page of zeros that nobody
wrote. 64,000 pages far from one another take 500 MiB of tables. So a bot's new mappings lie in one room of addresses
(`seccomp.ROOM`): all others are taken, by mappings without pages, which cost nothing and which a bot can't change.
"""

from __future__ import annotations

import resource

from games.sandbox import kernel, policy, seccomp
from games.sandbox.mappings import HEAP, STACK, mappings

PAGE = 4096
LOWEST, HIGHEST = 1 << 20, (1 << 47) - PAGE  # where a process may map something
GUARD = 2 << 20  # between the stack and what lies below it


def bound(myself: int) -> None:
    """Take all free addresses but the room, and those into which heap and stack grow. `myself` is our folder in /proc.

    Sets the limit for the address space of this process and of all bots. Raises OSError if an address is in use that
    the room needs, or if the kernel does not choose addresses in the room.
    """
    taken = 0
    for first, last in gaps(_in_use(myself)):
        kernel.reserve(first, last - first)
        taken += last - first
    page = kernel.map_anywhere(PAGE)
    kernel.unmap(page, PAGE)
    if not seccomp.ROOM <= page < seccomp.ROOM + seccomp.ROOM_BYTES:
        raise OSError("The kernel gives bots memory at other addresses than those where it is bounded")
    limit = taken + policy.MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def gaps(used: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return what lies between these ranges of addresses. Raises OSError if the room overlaps one."""
    room = (seccomp.ROOM, seccomp.ROOM + seccomp.ROOM_BYTES)
    if any(first < room[1] and room[0] < last for first, last in used):
        raise OSError("The addresses for the bots' memory are in use")
    free, place = [], LOWEST
    for first, last in sorted([*used, room, (HIGHEST, HIGHEST)]):
        if place < first <= HIGHEST:
            free.append((place, first))
        place = max(place, last)
    return free


def _in_use(myself: int) -> list[tuple[int, int]]:
    """Return the ranges that are mapped, with what heap and stack may still need."""
    used = []
    for mapping in mappings(myself):
        first = mapping.last - policy.STACK - GUARD if mapping.name == STACK else mapping.first
        used.append((first, mapping.last + policy.MEMORY if mapping.name == HEAP else mapping.last))
    return used
