"""The process in which `bin/dev compile` builds the engines: `python -m devkit.mypyc`; see `games.build`.

SCOREBOOK_ENGINE_BUILD must not be set for it, for whoever compiles can't need a compiled build.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from mypyc.build import mypycify
from setuptools import setup

from games import build


def main() -> None:
    """Builds what the tree holds now into a folder of its name, whole or not at all; other builds go."""
    folder = build.BUILDS / build.build_fingerprint()
    with workshop(build.BUILDS / f"making-{os.getpid()}") as shop:
        copy_sources(shop)
        made = shop / "made"
        compile_in(shop, made)
        for path in build.sources():
            if path.suffix == ".json":
                shutil.copy(build.ROOT / path, made / path)
        (made / build.MANIFEST).write_text(json.dumps(build.checksums(made), indent=1))
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    for other in build.BUILDS.iterdir():
        if other != folder:
            shutil.rmtree(other)
    print(f"mypyc {version('mypy')}: {folder.relative_to(build.ROOT)}")


@contextmanager
def workshop(folder: Path) -> Iterator[Path]:
    """A folder that is gone afterwards."""
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def copy_sources(shop: Path) -> None:
    """The engines alone, so that the tree stays as it is and nothing else is drawn in."""
    for path in build.sources():
        (shop / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build.ROOT / path, shop / path)
    (shop / "games" / "__init__.py").touch()


def compile_in(shop: Path, made: Path) -> None:
    """Extensions into `made`; SystemExit with the compiler's own words above it where that fails."""
    os.chdir(shop)
    options = ["--config-file=", f"--cache-dir={shop / 'cache'}"]  # not the tree's: it wants Django's plugin
    paths = [str(path) for path in build.compiled_sources()]
    extensions = mypycify([*options, *paths], opt_level=build.OPTIMISE, debug_level="0", target_dir=str(shop / "c"))
    folders = [f"--build-lib={made}", f"--build-temp={shop / 'objects'}"]
    setup(name="engines", packages=[], ext_modules=extensions, script_args=["-q", "build_ext", *folders])


if __name__ == "__main__":
    main()
