"""The namespaces of bots: a root that has Python and nothing of the host, and a uid that belongs to no account."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from games.sandbox import kernel, policy

BARE = kernel.NO_SUID | kernel.NO_DEV
OTHERS = kernel.NEW_MOUNTS | kernel.NEW_NET | kernel.NEW_IPC | kernel.NEW_UTS | kernel.NEW_CGROUP
NEW_ROOT = "/mnt"
ROOT_ID = 0


@contextmanager
def new_root(bot_uid: int | None) -> Iterator[tuple[str, int]]:
    """Enter new namespaces and, after the block has filled it, a new root. Raises OSError for what cannot be done.

    Yields the path of the new root, and a descriptor of our folder in /proc for `settle`. `bot_uid` is the uid for the
    bots, which requires root. With None they keep ours, and until then we are root only in a user namespace.
    """
    myself = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY)
    if bot_uid is None:
        _own_users(myself, ROOT_ID, OTHERS)
    else:
        kernel.unshare(OTHERS)
    kernel.set_host_name("bot")
    kernel.mount("none", "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    kernel.mount("bots", NEW_ROOT, "tmpfs", BARE, f"size={policy.ROOT_BYTES},nr_inodes={policy.ROOT_FILES},mode=755")
    yield NEW_ROOT, myself
    os.chdir(NEW_ROOT)
    os.mkdir("old")
    kernel.pivot_root(".", "old")
    os.chdir("/")
    kernel.detach("/old")
    os.rmdir("/old")


def settle(myself: int, bot_uid: int | None) -> None:
    """Make the root read-only and switch to the bots' uid. `myself` comes from `new_root`, and is closed."""
    kernel.mount("none", "/", None, kernel.REMOUNT | kernel.READ_ONLY | kernel.NO_EXEC | BARE)
    if bot_uid is not None:
        _become(bot_uid)
    _own_users(myself, policy.INSIDE_ID, 0)
    os.close(myself)


def _become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if (os.getresuid(), os.getresgid()) != ((uid,) * 3,) * 2:
        raise OSError(f"The kernel did not give us uid {uid}")
    kernel.prctl(kernel.SET_DUMPABLE, 1)  # otherwise root would own the maps below


def _own_users(myself: int, inside: int, others: int) -> None:
    """Enter a user namespace with one uid: ours, with the number `inside`. `myself` is our folder in /proc."""
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(kernel.NEW_USER | others)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{inside} {uid} 1"), ("gid_map", f"{inside} {gid} 1")):
        file = os.open(name, os.O_WRONLY, dir_fd=myself)
        os.write(file, text.encode())
        os.close(file)
