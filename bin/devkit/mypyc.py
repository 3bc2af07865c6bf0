"""`python -m devkit.mypyc [BUILD]` is the process in which `bin/dev compile` builds the engines; see
`scorebook_games.build`. With `rules` it compiles the rules alone.

SCOREBOOK_ENGINE_BUILD must not be set for it, because a compiled build cannot exist yet.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from mypyc.build import mypycify
from setuptools import setup

from scorebook_games import build

# Products and sums are rounded one by one, as in Python. Functions may be inlined, for nobody replaces them.
FLAGS = ["-ffp-contract=off", "-fno-semantic-interposition", "-fvisibility=hidden"]
# mypyc's own runtime is a file of its own: only at the link can its functions, such as that of `list[i]`, be inlined.
AT_LINK = ["-flto=auto"]


def main(made_for: str = build.COMPILED_BUILD) -> None:
    """Build the present sources into a folder with their fingerprint, verify the build, and delete other builds.

    A build that is incomplete, or computes anything else than the sources do, is never in that folder."""
    folder, library = build.folder_of(made_for), build.ROOT / build.LIBRARY
    with workshop(build.BUILDS / f"making-{os.getpid()}") as shop:
        copy_sources(shop)
        made = shop / "made"
        compile_in(shop, made, made_for)
        for path in build.sources():
            if path.suffix == ".json":
                shutil.copy(library / path, made / path)
        (made / build.MANIFEST).write_text(json.dumps(build.checksums(made), indent=1))
        verify(made, made_for)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    kept = {build.folder_of(each) for each in (build.COMPILED_BUILD, build.RULES_BUILD)}
    for other in build.BUILDS.iterdir():
        if other not in kept:
            shutil.rmtree(other)
    print(f"mypyc {version('mypy')}: {folder.relative_to(build.ROOT)}")


@contextmanager
def workshop(folder: Path) -> Iterator[Path]:
    """Create a folder that is deleted at the end of the block."""
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def copy_sources(shop: Path) -> None:
    """Copy only the engines' sources, so that nothing is written into the tree and nothing else is compiled."""
    for path in build.sources():
        (shop / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build.ROOT / build.LIBRARY / path, shop / path)
    (shop / build.PACKAGE / "__init__.py").touch()


def compile_in(shop: Path, made: Path, made_for: str) -> None:
    """Compile extensions into `made`. Exits with the compiler's output if that fails."""
    os.chdir(shop)
    # not the tree's configuration, which needs Django's plugin
    options = ["--config-file=", f"--cache-dir={shop / 'cache'}"]
    paths = [str(path) for path in build.compiled_sources(made=made_for)]
    extensions = mypycify(
        [*options, *paths],
        opt_level=build.OPTIMISE[made_for],
        debug_level="0",
        multi_file=True,  # the compiler takes three times as long for all modules in one file
        target_dir=str(shop / "c"),
    )
    for extension in extensions:
        extension.extra_compile_args += FLAGS
        if made_for == build.COMPILED_BUILD:  # tests run the rules for less time than this takes
            extension.extra_compile_args += AT_LINK
            extension.extra_link_args += [*AT_LINK, f"-O{build.OPTIMISE[made_for]}"]
    folders = [f"--build-lib={made}", f"--build-temp={shop / 'objects'}"]
    setup(name="engines", packages=[], ext_modules=extensions, script_args=["-q", "build_ext", *folders])


def verify(made: Path, made_for: str) -> None:
    """Compare what the build computes with the golden games, and with the sources. Exits if anything differs."""
    os.chdir(build.ROOT)
    if made_for == build.RULES_BUILD:  # they compute no floating-point numbers
        sums(str(made), made_for)
        return
    plain, compiled = sums(), sums(str(made))
    for line, other in zip(plain, compiled, strict=True):
        if line != other:
            raise SystemExit(f"The compiled engines compute something else than the sources: {other}, not {line}")


def sums(*folder: str) -> list[str]:
    """Return what the build in a folder computes, or without one the sources. Exits with the reason if it fails."""
    command = [sys.executable, "-m", "tests.scorebook_games.kinds.build_sums", *folder]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if ran.returncode:
        raise SystemExit(ran.stdout.strip())
    return ran.stdout.splitlines()


if __name__ == "__main__":
    main(*sys.argv[1:])
