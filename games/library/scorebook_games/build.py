"""Chooses which build of the engines runs: plain Python, or the extensions that `bin/dev compile` made with mypyc.

A compiled build lies outside the source tree, in a folder named after a fingerprint of everything it was made of. It is
used only if SCOREBOOK_ENGINE_BUILD asks for it (docs/adr/0007-compiled-engines.md). With "compiled" no other build is
used: a missing, stale or broken one raises an error that says what to do. With "auto" the plain engines stand in for
it. `scorebook_games/__init__.py` calls `select_build` before the first engine is imported.

Needs only the standard library.
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

ROOT: Final = Path(__file__).resolve().parents[3]  # the root of the checkout, if the package is imported from one
LIBRARY: Final = Path("games/library")  # in a checkout, the folder of the package
BUILDS: Final = ROOT / ".local" / "compiled"
BUILD_VARIABLE: Final = "SCOREBOOK_ENGINE_BUILD"
PLAIN_BUILD: Final = "plain"
COMPILED_BUILD: Final = "compiled"
RULES_BUILD: Final = "rules"  # only the rules are compiled: for the default tests, in a third of the time
AUTO_BUILD: Final = "auto"  # compiled if there is a whole build of the present sources, else plain
PACKAGE: Final = "scorebook_games"
SHARED: Final = ("cards.py", "chance.py", "contract.py", "draws.py", "text.py")  # modules that all engines import
# In the folder of a kind, and no part of its engine. A value function may have further modules, `value_….py`.
AROUND_ENGINES: Final = (
    "fields.py",
    "guide.py",
    "introduction.py",
    "kind.py",
    "narration.py",
    "plan.py",
    "presentation.py",
    "value.py",
    "value_*.py",
    "worlds.py",
)
WEIGHTS: Final = "value-*.json"  # of the value function, no part of the engine either
# Modules that stay plain: `contract` has protocols that are checked with `isinstance`, which mypyc does not support;
# tests derive classes from those of `chance`; `text` is no part of a game.
NOT_COMPILED: Final = ("chance.py", "contract.py", "text.py")
# Compiled too, though they are no part of an engine: what bots, value functions and roll-outs spend their time in. Of
# a kind, and of the library.
AROUND_COMPILED: Final = (
    "guide.py",
    "plan.py",
    "value.py",
    "value_*.py",
    "worlds.py",
)
LIBRARY_COMPILED: Final = (
    "duels.py",
    "search/chance.py",
    "search/ismcts.py",
    "search/value.py",
)
# How far the C compiler optimises a build. Tests run the rules for less time than -O3 takes.
OPTIMISE: Final = {COMPILED_BUILD: "3", RULES_BUILD: "1"}
MANIFEST: Final = "manifest.json"  # lists the files of a build with the SHA-256 of each
EXTENSION_SUFFIX: Final[str] = sysconfig.get_config_var(
    "EXT_SUFFIX"
)  # names the Python version and the machine that an extension was built for


class WrongBuild(RuntimeError):
    """The requested build cannot run; the text says what to do."""


def sources(root: Path = ROOT) -> list[Path]:
    """Return the files that a build is made of, data included, sorted, as paths relative to the library's folder."""
    library = root / LIBRARY
    package = library / PACKAGE
    files = [*rules_files(package / "kinds"), *(package / name for name in (*SHARED, *LIBRARY_COMPILED))]
    files += [path for name in AROUND_COMPILED for path in (package / "kinds").glob(f"**/{name}")]
    return sorted(path.relative_to(library) for path in files)


def rules_files(folder: Path) -> list[Path]:
    """Return the files of the rules in the folder of a kind, data included, sorted."""
    files = [path for pattern in ("*.py", "*.json") for path in folder.rglob(pattern)]
    return sorted(path for path in files if not any(map(path.match, (*AROUND_ENGINES, WEIGHTS))))


def rules_hash(folder: Path) -> str:
    """Return sixteen hex digits that identify the sources of a kind's rules, and of what all rules import."""
    digest = hashlib.sha256()
    files = {path.relative_to(folder).as_posix(): path for path in rules_files(folder)}
    for name, path in [*files.items(), *((name, Path(__file__).with_name(name)) for name in SHARED)]:
        content = path.read_bytes()
        digest.update(f"\n{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def compiled_sources(root: Path = ROOT, made: str = COMPILED_BUILD) -> list[Path]:
    """Return those of `sources` that are compiled for a build."""
    plain = {Path(PACKAGE, name) for name in NOT_COMPILED}
    paths = [path for path in sources(root) if path.suffix == ".py" and path.name != "__init__.py"]
    return [path for path in paths if path not in plain and (made == COMPILED_BUILD or belongs_to_rules(path))]


def belongs_to_rules(path: Path) -> bool:
    """Return whether a compiled source is part of the rules of kinds, which roll-outs and value functions are not."""
    shared = path.parent == Path(PACKAGE) and path.name in SHARED
    return shared or ("kinds" in path.parts and not any(map(path.match, AROUND_ENGINES)))


def module_names(root: Path = ROOT, made: str = COMPILED_BUILD) -> list[str]:
    """Return the dotted names of the modules that a compiled build replaces."""
    return [".".join(path.with_suffix("").parts) for path in compiled_sources(root, made)]


def folder_of(made: str, root: Path = ROOT) -> Path:
    """Return the folder of a build of the present sources."""
    return BUILDS / f"{'rules-' if made == RULES_BUILD else ''}{build_fingerprint(root)}"


def build_fingerprint(root: Path = ROOT) -> str:
    """Return sixteen hex digits that identify what a build is made of: sources, compiler version, this file, Python."""
    pins = re.findall(r"^(?:mypy|setuptools)==\S+", (root / "requirements" / "dev.txt").read_text(), re.MULTILINE)
    digest = hashlib.sha256("\n".join([EXTENSION_SUFFIX, *pins]).encode())
    for path in [*sources(root), Path(PACKAGE, "build.py")]:
        content = (root / LIBRARY / path).read_bytes()
        digest.update(f"\n{path} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a build, in hex, by its path inside the build's folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def select_build() -> None:
    """Make later imports of engines load the build that SCOREBOOK_ENGINE_BUILD names. Raises `WrongBuild`."""
    wanted = os.environ.get(BUILD_VARIABLE) or PLAIN_BUILD
    if wanted in (COMPILED_BUILD, RULES_BUILD):
        if not (ROOT / LIBRARY).is_dir():
            raise WrongBuild(
                f"{BUILD_VARIABLE}={wanted} needs a checkout of Scorebook, and this package was installed "
                f"without one. Unset {BUILD_VARIABLE} to use the plain engines."
            )
        use(folder_of(wanted), wanted)
    elif wanted == AUTO_BUILD:
        if is_built():
            use(folder_of(COMPILED_BUILD))
    elif wanted != PLAIN_BUILD:
        raise WrongBuild(
            f"{BUILD_VARIABLE}={wanted} is not a build of the engines. Use {PLAIN_BUILD}, {COMPILED_BUILD} or "
            f"{AUTO_BUILD}, or unset it."
        )


def is_built() -> bool:
    """Return whether there is a complete and unchanged build of the present sources."""
    if not (ROOT / LIBRARY).is_dir():
        return False
    try:
        check_build(folder_of(COMPILED_BUILD))
    except WrongBuild:
        return False
    return True


def use(folder: Path, made: str = COMPILED_BUILD) -> None:
    """Load all engines from the build in `folder` instead of their sources, all or none. Raises `WrongBuild`."""
    check_build(folder, made)
    finder = CompiledModuleFinder(folder)
    sys.meta_path.insert(0, finder)
    try:
        for name in module_names(made=made):
            importlib.import_module(name)
    except ImportError as error:
        raise WrongBuild(f"The compiled engines can't be loaded: {error}. {rebuild_advice(folder)}") from error
    if current_build() == PLAIN_BUILD:
        raise WrongBuild(
            f"The engines were imported before their build was chosen; {BUILD_VARIABLE} needs a new process."
        )


def check_build(folder: Path, made: str = COMPILED_BUILD) -> None:
    """Raise `WrongBuild` unless `folder` holds a complete and unchanged build."""
    if not folder.is_dir():
        others = [path for path in BUILDS.glob("*") if (path / MANIFEST).is_file()]
        state = "were built from other sources or for another Python" if others else "have not been built"
        raise WrongBuild(
            f"{BUILD_VARIABLE}={made}, but the compiled engines {state}. Run `bin/dev compile`, or "
            f"unset {BUILD_VARIABLE} to use the plain ones."
        )
    try:
        promised = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError):
        promised = {}
    if not promised or promised != checksums(folder):
        raise WrongBuild(f"The compiled engines have been changed since they were built. {rebuild_advice(folder)}")
    for name in module_names(made=made):
        if name.replace(".", "/") + EXTENSION_SUFFIX not in promised:
            raise WrongBuild(f"The compiled engines are incomplete: {name} is missing. {rebuild_advice(folder)}")


def rebuild_advice(folder: Path) -> str:
    """Return a sentence that says how to replace a broken build."""
    return f"Delete {folder} and run `bin/dev compile`, or unset {BUILD_VARIABLE} to use the plain ones."


class CompiledModuleFinder:
    """An import finder that finds the engines' modules in a build. It stands before the finders of the source tree."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Return the spec of an extension of this build, or None for every other module."""
        if not name.startswith(f"{PACKAGE}.") and not name.endswith("__mypyc"):
            return None
        file = self.folder / (name.replace(".", "/") + EXTENSION_SUFFIX)
        return spec_from_file_location(name, file) if file.is_file() else None


def is_compiled(module: Any) -> bool:
    """Return whether an imported module is compiled to machine code."""
    return isinstance(module.__spec__.loader, ExtensionFileLoader)


@cache
def current_build() -> str:
    """Return the build that runs in this process, "plain", "compiled" or "rules", as the loaded modules show.

    Raises `WrongBuild` if some engines are compiled and some are not.
    """
    loaded = {name for name in module_names() if is_compiled(importlib.import_module(name))}
    for made in (COMPILED_BUILD, RULES_BUILD):
        if loaded == set(module_names(made=made)):
            return made
    if loaded:
        raise WrongBuild("Some engines are compiled and some are not. Restart this process.")
    return PLAIN_BUILD
