"""The namespaces in which bots live: a root with the standard library and nothing else, and a uid of no account."""

from __future__ import annotations

import os
from pathlib import Path

from games.bots.sandbox import kernel, policy

BARE = kernel.NO_SUID | kernel.NO_DEV | kernel.NO_EXEC
OTHERS = kernel.NEW_MOUNTS | kernel.NEW_NET | kernel.NEW_IPC | kernel.NEW_UTS | kernel.NEW_CGROUP
COVERED = ("site-packages", "dist-packages")  # the host's packages, inside the folder of the standard library
NEW_ROOT = "/mnt"


def move_in(library: list[str], bot_uid: int | None) -> None:
    """Leave the host behind, for namespaces and a root of our own. `library`: folders of the standard library.

    `bot_uid` is the uid to take, for which we must be root; None keeps ours. What can't be done is an OSError.
    """
    myself = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY)
    if bot_uid is None:
        _own_users(myself, OTHERS)
        _own_root(library)
    else:
        kernel.unshare(OTHERS)
        _own_root(library)
        _become(bot_uid)
        _own_users(myself, 0)
    os.close(myself)


def _become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    kernel.prctl(kernel.SET_DUMPABLE, 1)  # else the maps below belong to root


def _own_users(myself: int, others: int) -> None:
    """A user namespace in which there is one uid: ours, by another number. `myself`: our folder in /proc."""
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(kernel.NEW_USER | others)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{policy.INSIDE_ID} {uid} 1"),
        ("gid_map", f"{policy.INSIDE_ID} {gid} 1"),
    ):
        file = os.open(name, os.O_WRONLY, dir_fd=myself)
        os.write(file, text.encode())
        os.close(file)


def _own_root(library: list[str]) -> None:
    """Swap the root for an empty one with the library in it, both read-only; the old one is nowhere any more."""
    kernel.set_host_name("bot")
    kernel.mount("none", "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    folders = {path: os.open(path, os.O_PATH | os.O_DIRECTORY) for path in library}
    kernel.mount("bots", NEW_ROOT, "tmpfs", BARE, "size=64k,nr_inodes=256,mode=755")
    for path, folder in folders.items():
        _show(folder, NEW_ROOT + path)
    os.chdir(NEW_ROOT)
    os.mkdir("old")
    kernel.pivot_root(".", "old")
    os.chdir("/")
    kernel.detach("/old")
    os.rmdir("/old")
    kernel.mount("none", "/", None, kernel.REMOUNT | kernel.READ_ONLY | BARE)


def _show(folder: int, place: str) -> None:
    """Mount an open folder at `place`, read-only, with what does not belong to the library covered."""
    os.makedirs(place)
    kernel.mount(f"/proc/self/fd/{folder}", place, None, kernel.BIND)
    os.close(folder)
    kernel.mount("none", place, None, kernel.BIND | kernel.REMOUNT | kernel.READ_ONLY | BARE)
    for name in COVERED:
        if Path(place, name).is_dir():
            kernel.mount("empty", f"{place}/{name}", "tmpfs", kernel.READ_ONLY | BARE, "size=4k,nr_inodes=1")
