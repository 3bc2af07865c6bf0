"""What a bot's file uses that an older Python does not have, so that it runs in a browser and not in the sandbox.

This interpreter need not be the server's: Python in a browser is often newer. It is searched for syntax, names of the
standard library that bots may use, and annotations, which Python evaluates later from 3.14 on.
"""

from __future__ import annotations

import ast
import builtins
import io
import token
import tokenize
from collections.abc import Iterator
from typing import Final, NamedTuple

from scorebook_games.text import gettext as _

# Since which Python 3 there is what: modules, and names in them.
SINCE: Final = {
    "annotationlib": 14,
    "compression": 14,
    "string.templatelib": 14,
    "copy.replace": 13,
    "functools.Placeholder": 14,
    "heapq.heapify_max": 14,
    "heapq.heappop_max": 14,
    "heapq.heappush_max": 14,
    "heapq.heappushpop_max": 14,
    "heapq.heapreplace_max": 14,
    "itertools.batched": 12,
    "math.fma": 13,
    "math.sumprod": 12,
    "random.binomialvariate": 12,
    "typing.override": 12,
    "typing.TypeIs": 13,
}
ANNOTATIONS_LATER: Final = 14  # PEP 649
FREE_FSTRINGS: Final = 12  # PEP 701
FSTRING_START: Final = getattr(token, "FSTRING_START", -1)
FSTRING_END: Final = getattr(token, "FSTRING_END", -1)


class Newer(NamedTuple):
    """A line that an older Python refuses, and why."""

    line: int
    reason: str


def newer_than(source: bytes, minor: int) -> Newer | None:
    """Return the first thing found in a file that Python 3.`minor` refuses; None if there is none, or if this Python
    refuses the file, too."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    text = source.decode("utf-8-sig", "replace")
    found = sorted([*newer_syntax(source, minor), *newer_names(tree, minor), *newer_fstrings(text, minor)])
    if minor < ANNOTATIONS_LATER:
        found = sorted([*found, *early_annotations(tree)])
    return found[0] if found else None


def newer_syntax(source: bytes, minor: int) -> Iterator[Newer]:
    """Yield what the grammar of an older Python lacks."""
    try:
        ast.parse(source, feature_version=(3, minor))
    except SyntaxError as error:
        yield Newer(error.lineno or 1, error.msg)


def newer_names(tree: ast.Module, minor: int) -> Iterator[Newer]:
    """Yield modules and names of the standard library that came later."""
    for node in ast.walk(tree):
        for name in _library_names(node):
            if (since := SINCE.get(name, 0)) > minor:
                reason = _("“{name}” came with Python 3.{minor}.").format(name=name, minor=since)
                yield Newer(getattr(node, "lineno", 1), reason)


def _library_names(node: ast.AST) -> list[str]:
    """Return the modules, and names of modules, that a node may use."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return [f"{node.value.id}.{node.attr}"]
    return []


def newer_fstrings(text: str, minor: int) -> Iterator[Newer]:
    """Yield f-strings with their own quotes, backslashes or comments within braces."""
    if minor >= FREE_FSTRINGS:
        return
    outer: list[str] = []
    for each in tokenize.generate_tokens(io.StringIO(text).readline):
        inside = each.type in (token.STRING, FSTRING_START, token.COMMENT)
        if outer and inside and any(mark in each.string for mark in (*outer, "\\", "#")):
            yield Newer(each.start[0], _("An f-string has its own quotes, a backslash or a comment within braces."))
        if each.type == FSTRING_START:
            outer.append(each.string.lstrip("fFrRtT"))
        elif each.type == FSTRING_END:
            outer.pop()


def early_annotations(tree: ast.Module) -> Iterator[Newer]:
    """Yield annotations with names that are defined later, as that of the class itself."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    if any(node.module == "__future__" or node.names[0].name == "*" for node in imports):
        return
    yield from _early(tree.body, set(dir(builtins)) | {"__name__", "__file__"})


def _early(body: list[ast.stmt], known: set[str]) -> Iterator[Newer]:
    for node in body:
        for annotation in _annotations(node):
            for name in ast.walk(annotation):
                if isinstance(name, ast.Name) and name.id not in known:
                    yield Newer(name.lineno, _("The annotation “{name}” is defined later.").format(name=name.id))
        if isinstance(node, ast.ClassDef):
            yield from _early(node.body, set(known))
        known |= _defined(node)


def _annotations(node: ast.stmt) -> Iterator[ast.expr]:
    """Yield the annotations that are evaluated when a statement runs."""
    if isinstance(node, ast.AnnAssign):
        yield node.annotation
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        given = node.args
        all_given = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        yield from (each.annotation for each in all_given if each and each.annotation)
        if node.returns:
            yield node.returns


def _defined(node: ast.stmt) -> set[str]:
    """Return the names that a statement may define where it stands, however deep within it."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return {node.name}
    found: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            found.add(each.id)
        elif isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(each.name)
        elif isinstance(each, ast.alias):
            found.add((each.asname or each.name).partition(".")[0])
    return found
