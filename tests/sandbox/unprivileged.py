"""Runs a program as an ordinary user without any capability, in its own user namespace.

    python -m tests.sandbox.unprivileged [--no-namespaces] PROGRAM …

Inside, the uid is not root's, and the program may set up only what any user may. It can still read what the user who
started it can read, so a checkout in a private home works. With --no-namespaces it may not make namespaces.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from games.sandbox import kernel

SOMEBODY = 12345


def main(arguments: list[str]) -> None:
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(kernel.NEW_USER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{SOMEBODY} {uid} 1"), ("gid_map", f"{SOMEBODY} {gid} 1")):
        Path("/proc/self", name).write_text(text)
    if arguments[0] == "--no-namespaces":
        arguments = arguments[1:]
        Path("/proc/sys/user/max_user_namespaces").write_text("0")
    os.execvp(arguments[0], arguments)  # the capabilities end here


if __name__ == "__main__":
    main(sys.argv[1:])
