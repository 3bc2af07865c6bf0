"""Which names use a word that the glossary bans: `python -m tests.glossary`.

docs/glossary.md ends with a table of banned words. A word in lower case is looked for as a part of every module, class,
function, variable, parameter, field of a model, name of an import, of an address and of a task, key of a dictionary,
code of an error and CSS class (`door` is a part of `open_door` and `DoorView`); a word in capitals is looked for as a
whole name (`MOST`). Names in backticks in the last column are allowed all the same. The name of a test function is a
sentence and is not looked at; all other names in tests are.
Prints each name with its place, and exits with 1 when there is one.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
GLOSSARY = ROOT / "docs" / "glossary.md"
PACKAGES = [ROOT / package for package in ("games", "tournaments", "replays", "config", "bin/devkit", "tests")]
# A rename in the rules of a kind would change their hash, which stands in the log of each game.
LEFT_OUT = ROOT / "games" / "library" / "scorebook_games" / "kinds"
STYLES = ROOT / "frontend" / "static" / "css"
HEADING = "## Banned words"
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True)
class Ban:
    """A row of the table: the word, what to say instead, and the names that may have it."""

    word: str
    instead: str
    allowed: frozenset[str]

    def forbids(self, name: str) -> bool:
        """Return whether `name` has the word and is not allowed."""
        if name.rpartition(".")[2] in self.allowed:
            return False
        return name.lstrip("_") == self.word if self.word.isupper() else self.word in parts(name)


@cache
def parts(name: str) -> list[str]:
    """Return the words of a name in lower case: `openDoor`, `open_door` and `OPEN_DOOR` give the same."""
    return [part.lower() for part in PART.findall(name)]


def bans(page: str) -> list[Ban]:
    """Return the rows of the last table of `page`, the glossary."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|([^|]*)\|$", page.partition(HEADING)[2], re.MULTILINE)
    return [Ban(word, instead.strip(), frozenset(re.findall(r"`(\w+)`", allowed))) for word, instead, allowed in rows]


def names(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and name of each class, function, column and address, and of each constant at the top of a module."""
    tree = ast.parse(source)
    for node in statements(tree.body):
        yield from columns(node)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not is_test(node.name):
            yield node.lineno, node.name
    for node in tree.body:
        assigned = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        yield from ((node.lineno, target.id) for target in assigned if isinstance(target, ast.Name))
    if re.search(r"\bpath\(", source):
        yield from addresses(tree)


def inner_names(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and name of each variable, parameter, name of an import, key of a dictionary, code of a `DomainError`
    and Celery task."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.alias) and node.asname:
            yield node.lineno, node.asname
        elif isinstance(node, ast.Dict):
            yield from texts(node.keys)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "DomainError":
            yield from texts(node.args[1:2])
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "shared_task":
            yield from texts(keyword.value for keyword in node.keywords if keyword.arg == "name")


def texts(nodes: Iterable[ast.expr | None]) -> Iterator[tuple[int, str]]:
    """Yield line and text of those that are the text of a name: `games.tick`, not a sentence."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[\w.-]+", node.value):
            yield node.lineno, node.value


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield all statements, also those inside others. Expressions hold no names that count, and are most of a file."""
    for node in body:
        yield node
        for block in ("body", "orelse", "finalbody"):
            yield from statements(getattr(node, block, ()))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from statements(part.body)


def addresses(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of each address: of `path(…, name="…")`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "path":
            named = (each.value for each in node.keywords if each.arg == "name")
            yield from ((node.lineno, str(each.value)) for each in named if isinstance(each, ast.Constant))


def is_test(name: str) -> bool:
    """Return whether that is a test function. Its name is a sentence, so any word may stand in it."""
    return name.startswith("test_")


def columns(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of a model's field in `node`, and its reverse name."""
    if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
        return
    func = node.value.func
    place = func.value if isinstance(func, ast.Attribute) else func
    if not (isinstance(place, ast.Name) and place.id in ("models", "ArrayField")):
        return
    yield from ((node.lineno, target.id) for target in node.targets if isinstance(target, ast.Name))
    related = (each.value for each in node.value.keywords if each.arg == "related_name")
    yield from ((node.lineno, str(each.value)) for each in related if isinstance(each, ast.Constant))


def classes(styles: Path, banned: Iterable[Ban]) -> Iterator[str]:
    """Return a line for each CSS class in `styles` that a ban forbids."""
    banned = list(banned)
    for path in sorted(styles.rglob("*.css")):
        text = re.sub(r"/\*.*?\*/|url\([^)]*\)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for name in sorted(set(re.findall(r"\.([a-z][a-z-]*)", text))):
            yield from (f"{path}: .{name} (`{ban.word}`: say {ban.instead})" for ban in banned if ban.forbids(name))


def found(folder: Path, banned: Iterable[Ban]) -> Iterator[str]:
    """Return a line for each name below `folder` that a ban forbids."""
    banned = list(banned)
    words = {ban.word for ban in banned}
    for path in sorted(folder.rglob("*.py")):
        if "migrations" in path.parts or path.is_relative_to(LEFT_OUT):
            continue
        source = path.read_text(encoding="utf-8")
        text = f"{path.stem} {source}".lower()
        if not any(word.lower() in text for word in words):
            continue
        for line, name in sorted({(1, path.stem), *names(source), *inner_names(source)}):
            if words.isdisjoint((*parts(name), name.lstrip("_"))):
                continue
            for ban in banned:
                if ban.forbids(name):
                    yield f"{path}:{line}: {name} (`{ban.word}`: say {ban.instead})"


def main(glossary: Path = GLOSSARY, folders: Iterable[Path] = PACKAGES) -> int:
    """Print every name that breaks the glossary. Returns 1 if there is one or the glossary bans nothing, else 0."""
    banned = bans(glossary.read_text(encoding="utf-8"))
    if not banned:
        print(f"No banned words found in {glossary}.")
        return 1
    faults = [fault for folder in folders for fault in found(folder, banned)]
    faults += classes(STYLES, banned)
    print("\n".join(faults) or f"No name uses one of the {len(banned)} banned words.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
