"""A C compiler for the engines: the machine's, or on Debian as root the one that apt installs."""

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
    """The path of a C compiler with which extensions can be built, or None where there is none and none to install."""
    return find() or (find() if apt_install(*PACKAGES) else None)


def find() -> str | None:
    """CC, or the one that this Python was built with, or cc; None also where Python's own headers are missing."""
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        return None
    wanted = [os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc"]
    return next(filter(None, (shutil.which(shlex.split(words)[0]) for words in wanted if words)), None)
