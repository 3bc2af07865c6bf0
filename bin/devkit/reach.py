"""Finds the tests that a change can reach, for `bin/dev test --changed`.

A test is reached if it imports a changed module, directly or through others, or stands in the folder that mirrors it
(`tests/games/play` for `games/play`), where pages are opened by their addresses. A changed template reaches what the
modules that name it reach, and those of the templates that include or extend it. What draws a page reaches the tests
in a browser, which open pages by their addresses too. Where nothing can be said, such as for a changed pin, every test
is reached. Continuous integration always runs all tests.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path

import grimp

from devkit.paths import LOCAL, ROOT, private_folder

PACKAGES = ("games", "tournaments", "replays", "config", "tests", "scorebook_games")
LIBRARY = "games/library/"
REACH_ALL = (
    "requirements/",
    "pyproject.toml",
    "manage.py",
    "config/settings",
    # what every test uses through the `conftest.py` of all, or as a plugin of pytest
    "tests/conftest.py",
    "tests/fixtures/",
    "tests/servers/",
    "tests/budget.py",
    "tests/parameters.py",
    "tests/calibration.py",
    "tests/parallel.py",
    "tests/closing_lines.py",
    "tests/sampling.py",
)
ALL = "tests"
BROWSER = "tests/browser"
TEMPLATE_NAMED = re.compile(r"\w/[^\"'\n]*\.html[\"']")
# folder of sources → tests that read them without an import
READERS = {
    "bin/": ("tests/devkit",),
    "docs/": ("tests/test_docs.py", "tests/config/docs"),
    "frontend/": (BROWSER,),
    "locale/": ("tests/config/translations",),
    "games/library/": ("tests/scorebook_games",),
}


def changed_files() -> list[str]:
    """Return the files that differ from the branch `main`, or on `main` itself from its last commit but one; with those
    that are not committed or not tracked."""
    base = _git("merge-base", "HEAD", "main") or _git("rev-parse", "HEAD")
    if base == _git("rev-parse", "HEAD"):
        base = _git("rev-parse", "HEAD^") or base
    names = [*_git("diff", "--name-only", base).splitlines()]
    return sorted({*names, *_git("ls-files", "--others", "--exclude-standard").splitlines()})


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


class Reach:
    """What can be reached in a checkout."""

    def __init__(self, root: Path = ROOT, packages: Collection[str] = PACKAGES) -> None:
        self.root, self.packages = root, packages

    def tests_of(self, files: Iterable[str]) -> list[str]:
        """Return the files and folders of tests that these files reach, without those inside another; `["tests"]` if
        any of them can reach everything."""
        found: set[str] = set()
        for file in files:
            if file.startswith(REACH_ALL) or "/migrations/" in file:
                return [ALL]
            found.update(self.reached(file))
        there = [path for path in found if (self.root / path).exists()]
        return sorted(path for path in there if not any(path.startswith(f"{other}/") for other in there))

    def reached(self, file: str) -> Iterator[str]:
        """Yield the files and folders of tests that one file reaches."""
        folder = os.path.dirname(file)
        for sources, tests in READERS.items():
            if file.startswith(sources):
                yield from tests
        if file.startswith("tests/") and file.endswith("conftest.py"):
            yield folder
        if "/templates/" in file:
            yield from self.of_template(file)
        if self.draws_pages(file):
            yield BROWSER
        if not file.startswith("tests/"):
            yield from self.mirrors(folder)
        yield from self.of_module(module_of(file))

    def draws_pages(self, file: str) -> bool:
        """Return whether a file is a template of a page, one of its tags, or a module that names a template."""
        if "/templatetags/" in file or ("/templates/" in file and file.endswith(".html")):
            return True
        return file.endswith(".py") and bool(TEMPLATE_NAMED.search(self.sources.get(file, "")))

    def mirrors(self, folder: str) -> Iterator[str]:
        """Yield the folder of tests that mirrors a folder of sources, or the nearest one above it."""
        while "/" in folder:
            if (self.root / "tests" / folder).is_dir():
                yield f"tests/{folder}"
                return
            folder = os.path.dirname(folder)

    def of_module(self, module: str) -> Iterator[str]:
        """Yield the files of tests that import a module, and the module itself if it has tests."""
        while module and module not in self.graph.modules:
            module = module.rpartition(".")[0]  # a file beside the modules belongs to their package
        if "." in module:
            for name in {module, *self.graph.find_downstream_modules(module)}:
                if name.startswith("tests.") and name.rpartition(".")[2].startswith("test_"):
                    yield f"{name.replace('.', '/')}.py"

    def of_template(self, file: str) -> Iterator[str]:
        """Yield what a template reaches: it is named by modules, and by templates that include or extend it."""
        waiting, seen = [file], {file}
        while waiting:
            name = waiting.pop().partition("/templates/")[2]
            for other, text in self.sources.items():
                if other not in seen and (f'"{name}"' in text or f"'{name}'" in text):
                    seen.add(other)
                    if "/templates/" in other:
                        waiting.append(other)
                        yield from self.mirrors(os.path.dirname(other))
                    else:
                        yield from self.of_module(module_of(other))

    @cached_property
    def graph(self) -> grimp.ImportGraph:
        """Return who imports whom; `conftest.py` of all tests counts as importing nothing, as it belongs to no test."""
        kept = private_folder(LOCAL / "imports")
        graph = grimp.build_graph(*self.packages, cache_dir=str(kept), exclude_type_checking_imports=True)
        for imported in graph.find_modules_directly_imported_by("tests.conftest"):
            graph.remove_import(importer="tests.conftest", imported=imported)
        return graph

    @cached_property
    def sources(self) -> dict[str, str]:
        """Return the text of each template and module of the product."""
        folders = (self.root / name for name in ("games", "tournaments", "replays", "config"))
        paths = (path for folder in folders for path in folder.rglob("*") if path.suffix in (".html", ".txt", ".py"))
        return {str(path.relative_to(self.root)): path.read_text(errors="replace") for path in paths}


def module_of(file: str) -> str:
    """Return the module of a file: "games.play" for `games/play/__init__.py`."""
    return file.removeprefix(LIBRARY).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
