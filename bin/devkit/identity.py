"""Chooses the user that PostgreSQL runs as. It refuses to run as root, so root starts it with an identity without
rights."""

from __future__ import annotations

import ctypes
import os
import pwd
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

CLONE_NEWUSER = 0x10000000
NOBODY_UID = 65534


@dataclass(frozen=True)
class Identity:
    """`name`: "self", "namespace" (root outside, nobody in a user namespace) or "nobody". `take` is called in the
    child, between fork and exec; `owner` is the (uid, gid) that its files must have."""

    name: str
    take: Callable[[], None]
    owner: tuple[int, int]


def enter_namespace() -> None:
    """Enter a user namespace in which this process has nobody's uid. Outside, its files still belong to the real
    user."""
    libc, uid, gid = ctypes.CDLL(None, use_errno=True), os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWUSER):
        raise OSError(ctypes.get_errno(), "user namespace refused")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{NOBODY_UID} {uid} 1"),
        ("gid_map", f"{NOBODY_UID} {gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def become_nobody() -> None:
    account = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)


def namespaces_work() -> bool:
    """Return whether a user namespace can be created. This is tried, because kernel, sysctl and container policy limit
    it."""
    try:
        return subprocess.run(["true"], preexec_fn=enter_namespace, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def named(name: str) -> Identity:
    if name == "nobody":
        account = pwd.getpwnam("nobody")
        return Identity(name, become_nobody, (account.pw_uid, account.pw_gid))
    return Identity(name, enter_namespace if name == "namespace" else _stay, (os.getuid(), os.getgid()))


def choose() -> Identity:
    """Return the identity for a new cluster. An existing cluster keeps its own."""
    if os.geteuid() != 0:
        return named("self")
    return named("namespace" if namespaces_work() else "nobody")


def _stay() -> None:
    """Do nothing: an unprivileged user runs PostgreSQL as itself."""
