"""What a process has mapped into its memory."""

from __future__ import annotations

import os

VSYSCALL = "[vsyscall]"  # the vDSO's ancestor, at an address that cannot be unmapped
HEAP, STACK = "[heap]", "[stack]"
ANONYMOUS = (HEAP, STACK, "[anon:")


class Mapping:
    """One line of /proc/self/maps."""

    def __init__(self, line: str) -> None:
        places, self.access, _, self.device, self.inode, *name = line.split(maxsplit=5)
        self.first, self.last = (int(each, 16) for each in places.split("-"))
        self.name = name[0] if name else ""

    @property
    def is_shared(self) -> bool:
        """Return whether a process outside the sandbox can have the same pages; those of the root belong to it."""
        if self.name == VSYSCALL:
            return "r" in self.access  # else it has no page, and a read of it ends the process
        if self.inode == "0":
            return bool(self.name) and not self.name.startswith(ANONYMOUS)
        device = os.stat("/").st_dev
        return "s" in self.access or self.device != f"{os.major(device):02x}:{os.minor(device):02x}"


def mappings(myself: int) -> list[Mapping]:
    with open(os.open("maps", os.O_RDONLY, dir_fd=myself)) as file:
        return [Mapping(line.rstrip("\n")) for line in file]
