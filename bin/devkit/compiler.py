"""Finds a C compiler for the engines: the machine's, or (on Debian as root) one installed by apt."""

from __future__ import annotations

import os
import shlex
import shutil
import sysconfig
from pathlib import Path

from devkit.machine import apt_install

PACKAGES = ("gcc", "libc6-dev", "python3-dev")
INSTALL = f"apt install {' '.join(PACKAGES)}"


def bring() -> str | None:
    """Return the path of a C compiler that can build extensions, installed if necessary; None if that is not
    possible."""
    return find() or (find() if apt_install(*PACKAGES) else None)


def find() -> str | None:
    """Return the path of CC, of the compiler that built this Python, or of cc; None also without Python's headers."""
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        return None
    wanted = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc"]
    return next(filter(None, (shutil.which(shlex.split(words)[0]) for words in wanted if words)), None)
