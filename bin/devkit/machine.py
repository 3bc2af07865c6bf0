"""Installs Debian packages that the machine lacks."""

from __future__ import annotations

import os
import shutil
import subprocess


def apt_install(*packages: str) -> bool:
    """Install packages; return whether this succeeded. False without root or apt-get."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    commands = (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *packages],
    )
    return all(
        subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0
        for command in commands
    )
