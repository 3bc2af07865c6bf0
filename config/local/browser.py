"""Chromium for the browser tests: the machine's, or on Debian as root the one that apt installs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def bring() -> str | None:
    """The path of a Chromium, or None where there is none and it can't be installed."""
    return find() or (find() if _install() else None)


def find() -> str | None:
    """SCOREBOOK_CHROMIUM, or one on the PATH, or one that Playwright has downloaded before."""
    if named := os.environ.get("SCOREBOOK_CHROMIUM"):
        return named if os.access(named, os.X_OK) else None
    downloaded = sorted((Path.home() / ".cache" / "ms-playwright").glob("chromium-*/chrome-linux*/chrome"))
    return next(filter(None, map(shutil.which, NAMES)), None) or (str(downloaded[-1]) if downloaded else None)


def _install() -> bool:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    commands = (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-qq", "-y", "--no-install-recommends", "chromium"],
    )
    return all(
        subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0
        for command in commands
    )
