"""Chromium for the browser tests: the machine's, or on Debian as root the one that apt installs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from devkit.machine import apt_install

# The first is Chromium without the windows of a desktop: a fresh page costs it a third of the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def bring() -> str | None:
    """The path of a Chromium, or None where there is none and it can't be installed."""
    return find() or (find() if apt_install("chromium-headless-shell") or apt_install("chromium") else None)


def find() -> str | None:
    """SCOREBOOK_CHROMIUM, or one on the PATH, or one that Playwright has downloaded before."""
    if named := os.environ.get("SCOREBOOK_CHROMIUM"):
        return named if os.access(named, os.X_OK) else None
    downloaded = sorted((Path.home() / ".cache" / "ms-playwright").glob("chromium-*/chrome-linux*/chrome"))
    return next(filter(None, map(shutil.which, NAMES)), None) or (str(downloaded[-1]) if downloaded else None)
