"""The last steps before a bot's own code. Each only takes rights away, and none can be undone."""

from __future__ import annotations

import os
import resource
import signal
import struct

from games.sandbox import flow_control, kernel, policy

READ_FILES_AND_FOLDERS = 1 << 2 | 1 << 3
# The kinds of file access that each version of Landlock knows.
FILE_ACCESSES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
ALL_NETWORK, ALL_SCOPES = 3, 3  # bind and connect; abstract sockets and signals

LIMITS = {  # and RLIMIT_AS, by `address_space`
    resource.RLIMIT_CPU: policy.CPU_TICKS_SECONDS,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_NOFILE: policy.OPEN_FILES,
    resource.RLIMIT_NPROC: 0,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_MEMLOCK: 0,
    resource.RLIMIT_MSGQUEUE: 0,
    resource.RLIMIT_SIGPENDING: 16,
    resource.RLIMIT_STACK: policy.STACK,
}


def lock_down(filter_program: bytes, hold_channel: int | None = None) -> None:
    """Apply all restrictions, in an order in which each step is still allowed.

    `hold_channel`: see `flow_control.put_up`.
    """
    kernel.drop_capabilities()
    kernel.prctl(kernel.NO_NEW_PRIVILEGES, 1)
    only_read_files()
    if hold_channel is not None:
        flow_control.put_up(hold_channel)
    for limit, value in LIMITS.items():
        resource.setrlimit(limit, (value, value))
    kernel.prctl(kernel.SET_DUMPABLE, 0)
    kernel.prctl(kernel.SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    kernel.install_filter(filter_program)


def only_read_files() -> None:
    """Apply Landlock: no writing, creating or executing files, no TCP, no signals to others.

    Does nothing without Landlock.
    """
    version = kernel.landlock_version()
    if not version:
        return
    handled = (FILE_ACCESSES[min(version, 5)], ALL_NETWORK if version >= 4 else 0, ALL_SCOPES if version >= 6 else 0)
    attributes = struct.pack("<QQQ", *handled)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules, root = kernel.landlock_rules(attributes), os.open("/", os.O_PATH)
    kernel.landlock_allow_below(rules, root, READ_FILES_AND_FOLDERS)
    os.close(root)
    kernel.landlock_restrict(rules)
    os.close(rules)
