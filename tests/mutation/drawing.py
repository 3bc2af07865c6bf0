"""Draws the sample at random from all changes that cosmic-ray can make to the files of each area.

It leaves out what no test could notice: annotations, `__all__`, docstrings, type checking blocks, slots of dataclasses.
"""

from __future__ import annotations

import ast
import difflib
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from cosmic_ray import plugins
from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import mutate_code

from devkit.paths import ROOT
from scorebook_games import build
from tests.mutation.mutants import AREAS, EACH, Mutant

FAMILIES = (
    "ReplaceBinaryOperator",
    "ReplaceComparisonOperator",
    "ReplaceUnaryOperator",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "NumberReplacer",
    "AddNot",
    "ZeroIterationForLoop",
    "ExceptionReplacer",
    "RemoveDecorator",
)
SEED = 20261122
NO_ENGINES = ("views.py", "build.py", "registry.py", *build.AROUND_ENGINES)  # patterns; views belong to visibility


def draw() -> list[Mutant]:
    drawn: list[Mutant] = []
    for area, patterns in AREAS.items():
        chance = random.Random(f"{SEED}/{area}")
        paths = sorted({path for pattern in patterns for path in ROOT.glob(pattern)})
        if area == "engines":
            paths = [path for path in paths if not any(map(path.match, NO_ENGINES))]
        if not paths:
            raise SystemExit(f"No file belongs to the area {area}.")
        places = [place for path in paths for place in places_of(path)]
        chance.shuffle(places)
        made = (mutant for mutant in (made_at(area, *place) for place in places) if mutant)
        drawn += sorted(islice(made, EACH))
        print(f"{area}: {EACH} of {len(places)} places in {len(paths)} files", flush=True)
    return drawn


def places_of(path: Path) -> Iterator[tuple[Path, str, int]]:
    """Yield every possible change of a file as (file, operator, occurrence)."""
    source = path.read_text()
    quiet, tree = lines_without_effect(ast.parse(source)), get_ast(source)
    for name in plugins.operator_names():
        if not name.rpartition("/")[2].startswith(FAMILIES):
            continue
        operator = plugins.get_operator(name)()
        positions = (position for node in walk(tree) for position in operator.mutation_positions(node))
        for occurrence, (start, _end) in enumerate(positions):
            if start[0] not in quiet:
                yield path, name, occurrence


def made_at(area: str, path: Path, name: str, occurrence: int) -> Mutant | None:
    source = path.read_text()
    mutated = mutate_code(source, plugins.get_operator(name)(), occurrence)
    mutant = described(area, path, name.rpartition("/")[2], source, mutated) if mutated else None
    if mutant is None:
        return None
    functions = functions_by_line(ast.parse(source))
    return replace(mutant, function=functions.get(mutant.lines(source)[0], "(module)"))


def walk(node: object) -> Iterator[object]:
    yield node
    for child in getattr(node, "children", ()):
        yield from walk(child)


def described(area: str, path: Path, family: str, source: str, mutated: str) -> Mutant | None:
    """Return the change as text; None if it changes no lines, or if the result is not valid Python."""
    before, after = source.splitlines(), mutated.splitlines()
    changes = [
        each
        for each in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if each[0] != "equal"
    ]
    if len(changes) != 1 or changes[0][0] == "insert":
        return None
    try:
        if ast.dump(ast.parse(mutated)) == ast.dump(ast.parse(source)):
            return None
    except SyntaxError:
        return None
    _, first, last, new_first, new_last = changes[0]
    old = before[first:last]
    nth = sum(1 for at in range(first) if before[at : at + len(old)] == old)
    where = str(path.relative_to(ROOT))
    return Mutant(area, where, "", family, "\n".join(old), "\n".join(after[new_first:new_last]), nth)


def lines_without_effect(tree: ast.Module) -> set[int]:
    """Return the lines on which a change has no effect: annotations alone, and `if TYPE_CHECKING`."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and node.value is None:
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # In the annotations of a signature `|` counts as an operator. The few defaults there are skipped too.
            found.update(range(node.lineno, node.body[0].lineno))
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            found.update(range(node.lineno, (node.annotation.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("dataclass", "NamedTuple", "TypeVar"):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                found.update(range(decorator.lineno, (decorator.end_lineno or decorator.lineno) + 1))
    return found


def functions_by_line(tree: ast.Module) -> dict[int, str]:
    """Map each line to the dotted name of its innermost function or class."""
    found: dict[int, str] = {}

    def enter(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                found.update(dict.fromkeys(range(child.lineno, (child.end_lineno or child.lineno) + 1), name))
                enter(child, name + ".")
            else:
                enter(child, prefix)

    enter(tree, "")
    return found
