"""Finds Chromium for the browser tests: the machine's, or (on Debian as root) one installed by apt."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from devkit.machine import apt_install

# The first one is Chromium without a desktop's windows. It opens a page in a third of the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def bring() -> str | None:
    """Return the path of a Chromium, installed if necessary; None if that is not possible."""
    return find() or (find() if apt_install("chromium-headless-shell") or apt_install("chromium") else None)


def find() -> str | None:
    """Return the path of SCOREBOOK_CHROMIUM, of one on the PATH, or of one that Playwright has downloaded; None without
    any."""
    if named := os.environ.get("SCOREBOOK_CHROMIUM"):
        return named if os.access(named, os.X_OK) else None
    downloaded = sorted((Path.home() / ".cache" / "ms-playwright").glob("chromium-*/chrome-linux*/chrome"))
    return next(filter(None, map(shutil.which, NAMES)), None) or (str(downloaded[-1]) if downloaded else None)
