"""Which build of the engines runs: the plain one, or the one that `bin/dev compile` made with mypyc.

The compiled build lies outside the tree, in a folder that is named by everything it was made of. It runs only where
SCOREBOOK_ENGINE_BUILD asks for it, and then it or nothing does: one that is missing, stale or broken is an error that
says what to do (docs/adr/0007-compiled-engines.md). `games/__init__.py` chooses before the first engine is imported.
Standard library only.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
BUILDS: Final = ROOT / ".local" / "compiled"
BUILD_VARIABLE: Final = "SCOREBOOK_ENGINE_BUILD"
PLAIN_BUILD: Final = "plain"
COMPILED_BUILD: Final = "compiled"
PACKAGE: Final = "games.engines"
# `base` has protocols that are asked for at run time, which mypyc does not offer; from `chance` dealers are derived.
NOT_COMPILED: Final = ("__init__.py", "base.py", "chance.py")
OPTIMISE: Final = "3"
MANIFEST: Final = "manifest.json"  # the build's files, each with the SHA-256 of its bytes
EXTENSION_SUFFIX: Final[str] = sysconfig.get_config_var(
    "EXT_SUFFIX"
)  # names the Python and the machine that an extension is for


class WrongBuild(RuntimeError):
    """The build that was asked for can't run; the text says what to do."""


def sources(root: Path = ROOT) -> list[Path]:
    """The engines' own files, data included, in order; relative to `root`."""
    folder = root / "games" / "engines"
    files = [path for kind in ("*.py", "*.json") for path in folder.rglob(kind)]
    return sorted(path.relative_to(root) for path in files)


def compiled_sources(root: Path = ROOT) -> list[Path]:
    """Those that are compiled."""
    return [path for path in sources(root) if path.suffix == ".py" and path.name not in NOT_COMPILED]


def module_names(root: Path = ROOT) -> list[str]:
    """The modules that a compiled build replaces."""
    return [".".join(path.with_suffix("").parts) for path in compiled_sources(root)]


def build_fingerprint(root: Path = ROOT) -> str:
    """Sixteen hex digits that change with whatever a build is made of: sources, compiler's pin, this file, Python."""
    pins = re.findall(r"^(?:mypy|setuptools)==\S+", (root / "requirements" / "dev.txt").read_text(), re.MULTILINE)
    digest = hashlib.sha256("\n".join([EXTENSION_SUFFIX, *pins]).encode())
    for path in [*sources(root), Path("games/build.py")]:
        content = (root / path).read_bytes()
        digest.update(f"\n{path} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def checksums(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file in a build's folder, by its path there."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def select_build() -> None:
    """Make `import games.engines…` bring the build that SCOREBOOK_ENGINE_BUILD asks for. Raises `WrongBuild`."""
    wanted = os.environ.get(BUILD_VARIABLE) or PLAIN_BUILD
    if wanted == COMPILED_BUILD:
        use(BUILDS / build_fingerprint())
    elif wanted != PLAIN_BUILD:
        raise WrongBuild(
            f"{BUILD_VARIABLE}={wanted} is not a build of the engines. Use {PLAIN_BUILD} or {COMPILED_BUILD}, "
            "or unset it."
        )


def use(folder: Path) -> None:
    """Let the build in `folder` stand in for the engines' sources, all of it or none. Raises `WrongBuild`."""
    check_build(folder)
    finder = CompiledModuleFinder(folder)
    sys.meta_path.insert(0, finder)
    try:
        for name in module_names():
            importlib.import_module(name)
    except ImportError as error:
        raise WrongBuild(f"The compiled engines can't be loaded: {error}. {rebuild_advice(folder)}") from error
    if current_build() == PLAIN_BUILD:
        raise WrongBuild(
            f"The engines were imported before their build was chosen; {BUILD_VARIABLE} needs a new process."
        )


def check_build(folder: Path) -> None:
    """Raise `WrongBuild` unless `folder` holds a whole build."""
    if not folder.is_dir():
        others = [path for path in BUILDS.glob("*") if (path / MANIFEST).is_file()]
        state = "were built from other sources or for another Python" if others else "have not been built"
        raise WrongBuild(
            f"{BUILD_VARIABLE}={COMPILED_BUILD}, but the compiled engines {state}. Run `bin/dev compile`, or "
            f"unset {BUILD_VARIABLE} to use the plain ones."
        )
    try:
        promised = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError):
        promised = {}
    if not promised or promised != checksums(folder):
        raise WrongBuild(f"The compiled engines have been changed since they were built. {rebuild_advice(folder)}")
    for name in module_names():
        if name.replace(".", "/") + EXTENSION_SUFFIX not in promised:
            raise WrongBuild(f"The compiled engines are incomplete: {name} is missing. {rebuild_advice(folder)}")


def rebuild_advice(folder: Path) -> str:
    """What to do about a build that is broken."""
    return f"Delete {folder} and run `bin/dev compile`, or unset {BUILD_VARIABLE} to use the plain ones."


class CompiledModuleFinder:
    """Finds the engines' modules in a build, before anybody looks into the tree."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """The spec of an extension of this build; None for every other module."""
        if not name.startswith(f"{PACKAGE}.") and not name.endswith("__mypyc"):
            return None
        file = self.folder / (name.replace(".", "/") + EXTENSION_SUFFIX)
        return spec_from_file_location(name, file) if file.is_file() else None


def is_compiled(module: Any) -> bool:
    """Whether a module that has been imported is machine code."""
    return isinstance(module.__spec__.loader, ExtensionFileLoader)


@cache
def current_build() -> str:
    """The build that runs in this process, as its loaded modules say: "plain" or "compiled"; never a mixture."""
    loaded = [is_compiled(importlib.import_module(name)) for name in module_names()]
    if any(loaded) != all(loaded):
        raise WrongBuild("Some engines are compiled and some are not. Restart this process.")
    return COMPILED_BUILD if all(loaded) else PLAIN_BUILD
