"""Finds changed sources for `bin/dev up --reload`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from devkit.paths import ROOT

WATCHED = tuple(ROOT / package for package in ("config", "games", "replays", "tournaments"))
# a process reads these once; style sheets and scripts are read at each request
SUFFIXES = (".py", ".html", ".json", ".txt")


class Sources:
    """The modification times of all files in `folders` that running processes have read."""

    def __init__(self, folders: Sequence[Path] = WATCHED) -> None:
        self._folders = folders
        self._seen = dict(self._times())

    def changed(self) -> set[str]:
        """Return the paths that were changed, created or deleted since the last call."""
        before, self._seen = self._seen, dict(self._times())
        return {path for path, _time in before.items() ^ self._seen.items()}

    def _times(self) -> Iterator[tuple[str, int]]:
        waiting = [os.fspath(folder) for folder in self._folders]
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name != "__pycache__":
                            waiting.append(entry.path)
                    elif entry.name.endswith(SUFFIXES):
                        try:
                            yield entry.path, entry.stat().st_mtime_ns
                        except FileNotFoundError:  # an editor has just replaced it
                            continue
