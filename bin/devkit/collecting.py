"""Collects, hashes and compresses the static files, once and again after each change."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from devkit.console import Trouble
from devkit.frontend import digest
from devkit.paths import LOCAL, ROOT, set_stamp, stamp

FOLDER = ROOT / "staticfiles"
FOLDER_OF_TESTS = LOCAL / "staticfiles-of-tests"  # separate, because a running `up` needs the files that its pages name


def folders_of_packages() -> list[Path]:
    """Return the folders with the pictures and boards of kinds that other packages bring. A package that cannot be
    found is left out: the platform says so when it starts."""
    found = []
    for point in sorted(entry_points(group="scorebook.kinds"), key=lambda point: point.name):
        with suppress(ImportError, ValueError):
            spec = find_spec(point.module)
            if spec is not None and spec.origin is not None:
                found += [Path(spec.origin).parent / name for name in ("pictures", "ui")]
    return [folder for folder in found if not folder.is_relative_to(ROOT)]


def sources() -> str:
    """Return a hash of all static files and of how they are named."""
    folders = [
        ROOT / "frontend" / "dist",
        *folders_of_packages(),
        *ROOT.glob("games/library/scorebook_games/kinds/*/pictures"),
        *ROOT.glob("games/library/scorebook_games/kinds/*/ui"),
        *ROOT.glob("*/static"),
    ]
    files = [ROOT / "requirements" / "app.txt", ROOT / "config" / "http" / "static_files.py"]
    kinds = os.environ.get("SCOREBOOK_KINDS", "")  # the files of a kind are collected only if it is switched on
    content = "".join([kinds, *(digest(folder, set()) for folder in folders), *(file.read_text() for file in files)])
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
