"""Which variables of the environment the product's sources read: by their names, or by a constant of the module."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from config.env import variables

ASKED = ("environ", "environment")
READERS = {reader.__name__ for reader in (variables.read_secret, variables.read_switch)}


def read_in(path: Path) -> set[str]:
    """The names that this module gets, sets or has `config.env.variables` look for."""
    source = path.read_text()
    if not any(word in source for word in (*ASKED, *READERS)):
        return set()
    tree = ast.parse(source)
    constants = {
        target.id: each.value.value
        for each in tree.body
        if isinstance(each, ast.Assign | ast.AnnAssign) and isinstance(each.value, ast.Constant)
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
        if isinstance(target, ast.Name)
    }
    return {name for named in named_in(tree) if isinstance(name := name_of(named, constants), str) and name.isupper()}


def named_in(tree: ast.AST) -> Iterator[ast.expr]:
    """What stands in `environ[…]`, `environ.get(…)`, `environ.setdefault(…)` and what `READERS` are asked for."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Subscript) and is_environment(each.value):
            yield each.slice
        if isinstance(each, ast.Call) and each.args:
            asks = isinstance(each.func, ast.Attribute) and each.func.attr in ("get", "setdefault")
            if asks and isinstance(each.func, ast.Attribute) and is_environment(each.func.value):
                yield each.args[0]
            if isinstance(each.func, ast.Name) and each.func.id in READERS:
                yield each.args[0]


def is_environment(node: ast.expr) -> bool:
    return getattr(node, "attr", getattr(node, "id", "")) in ASKED


def name_of(node: ast.expr, constants: Mapping[str, object]) -> object:
    """The text itself, or that of the constant that is named."""
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    return node.value if isinstance(node, ast.Constant) else None
