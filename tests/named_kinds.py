"""Nothing outside the folder of a kind names it: `python -m tests.named_kinds`.

Looked through are the names and texts of the platform's and the library's Python (docstrings and comments may name a
game as an example), and templates, scripts, components and style sheets whole. Demo data, tests, documents, examples of
bots and the boards of kinds may name kinds.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "games" / "library" / "scorebook_games" / "kinds"
PACKAGES = ("config", "games", "replays", "tournaments", "frontend/src", "frontend/static")
SUFFIXES = (".py", ".html", ".ts", ".js", ".svelte", ".css")
MAY_NAME = (
    "games/library/scorebook_games/kinds/",
    "games/library/scorebook_games/bots/sdk/examples/",
    "tournaments/maintenance/demo.py",
    "tournaments/maintenance/demo_people.py",
    "frontend/src/boards/kinds/",
)


def words_of(kinds: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern for the names of these kinds: `plate_spinner`, "Plate Spinner", PlateSpinner."""
    forms = {form for kind in kinds for form in (kind, kind.replace("_", " "), kind.replace("_", ""))}
    return re.compile(rf"(?<![a-z])(?:{'|'.join(sorted(forms, key=len, reverse=True))})(?![a-z])", re.IGNORECASE)


def kinds_here(folder: Path = FOLDER) -> list[str]:
    """Return the kinds that have a folder."""
    return sorted(path.parent.name for path in folder.glob("*/kind.py"))


def texts_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield the names and texts of a Python module with their lines, without docstrings."""
    tree = ast.parse(source)
    shown = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in shown:
                yield node.lineno, text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield node.lineno, name
            case ast.ImportFrom(module=str(module)):
                yield node.lineno, module
            case ast.alias(name=name):
                yield node.lineno, name


def found(root: Path, kinds: Sequence[str]) -> list[str]:
    """Return the places where a kind must not be named: "games/lobby/forms.py:24: chinese_ten"."""
    words, places = words_of(kinds), []
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in SUFFIXES or name.startswith(MAY_NAME) or "/migrations/" in name:
            continue
        text = path.read_text(encoding="utf-8")
        if not words.search(text):
            continue
        parts = texts_of(text) if path.suffix == ".py" else enumerate(text.splitlines(), 1)
        places += [f"{name}:{line}: {match[0]}" for line, part in parts for match in words.finditer(part)]
    return places


def main(root: Path = ROOT) -> int:
    """Print where kinds are named. Returns 1 if anywhere, else 0."""
    places = found(root, kinds_here())
    for place in places:
        print(f"{place} is a kind of game: say it in the kind's folder.")
    return 1 if places else 0


if __name__ == "__main__":
    sys.exit(main())
