"""Collects, hashes and compresses the static files, once and again after each change."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from devkit.console import Trouble
from devkit.frontend import digest
from devkit.paths import LOCAL, ROOT, set_stamp, stamp

FOLDER = ROOT / "staticfiles"
FOLDER_OF_TESTS = LOCAL / "staticfiles-of-tests"  # separate, because a running `up` needs the files that its pages name


def sources() -> str:
    """Return a hash of all static files and of how they are named."""
    folders = [
        ROOT / "frontend" / "dist",
        *ROOT.glob("games/library/scorebook_games/kinds/*/pictures"),
        *ROOT.glob("games/library/scorebook_games/kinds/*/ui"),
        *ROOT.glob("*/static"),
    ]
    files = [ROOT / "requirements" / "app.txt", ROOT / "config" / "http" / "static_files.py"]
    content = "".join([*(digest(folder, set()) for folder in folders), *(file.read_text() for file in files)])
    return hashlib.sha256(content.encode()).hexdigest()


def is_current(folder: Path) -> bool:
    """Return whether `folder` has the present static files."""
    return stamp(folder.name) == sources() and folder.is_dir()


def collect(environment: Mapping[str, str], folder: Path = FOLDER) -> str:
    """Update `folder`; return what was done, in words."""
    if is_current(folder):
        return "unchanged"
    set_stamp(folder.name, "")
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--clear", "--verbosity", "0"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**environment, "SCOREBOOK_DEBUG": "", "SCOREBOOK_STATIC_ROOT": os.fspath(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Trouble(f"The static files could not be collected:\n{done.stdout.strip()}")
    set_stamp(folder.name, sources())
    return "collected"
