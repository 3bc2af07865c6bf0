"""Finds sentences of errors that no translator sees: text that stands in a call of an error as it is, or in a name that
is given to one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

ERRORS: Final = frozenset(
    (
        *("AccountError", "BadOffsets", "CalendarError", "DomainError", "Http404", "IllegalMove", "MalformedMove"),
        *("OptionError", "ParseError", "PermissionDenied", "ValidationError", "add_error", "error_body"),
    )
)
FOLDERS: Final = ("config", "games", "replays", "tournaments")
SENTENCE: Final = re.compile(r"[^\W\d_]\S*\s+\S")  # a word, and more after it


def unmarked_sentences(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each sentence in a Python module that an error shows untranslated."""
    if not any(name in source for name in ERRORS):
        return
    tree = ast.parse(source)
    named = _assigned(tree.body)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    found = set(_in_calls(ast.walk(tree), named))
    for function in functions:
        found |= set(_in_calls(ast.walk(function), _assigned(ast.walk(function))))
    yield from sorted(found)


def _in_calls(nodes: Iterable[ast.AST], named: dict[str, list[ast.expr]]) -> Iterator[tuple[int, str]]:
    """Yield the sentences that stand in calls of errors, or in names that these are given."""
    for node in nodes:
        if isinstance(node, ast.Call) and _name(node.func) in ERRORS:
            for value in [*node.args, *(keyword.value for keyword in node.keywords)]:
                template = _unfilled(value)
                for text in named.get(template.id, []) if isinstance(template, ast.Name) else [template]:
                    yield from ((part.lineno, words) for part, words in sentences_in(text))


def _unfilled(value: ast.expr) -> ast.expr:
    """Return the template of `template.format(…)`; any other expression as it is."""
    match value:
        case ast.Call(func=ast.Attribute(value=template, attr="format")):
            return template
    return value


def _assigned(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """Return each name that is assigned to, with all its values."""
    values: dict[str, list[ast.expr]] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                names = [target.id for target in targets if isinstance(target, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                names = [name]
            case _:
                continue
        for each in names:
            values.setdefault(each, []).append(value)
    return values


def sentences_in(value: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """Yield the literals of an expression that are a sentence, with their text; those in a call of gettext are none."""
    match value:
        case ast.Constant(value=str(text)):
            words = text
        case ast.JoinedStr(values=parts):
            words = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            yield from [*sentences_in(one), *sentences_in(other)]
            return
        case ast.BoolOp(values=parts):
            for part in parts:
                yield from sentences_in(part)
            return
        case ast.Call(func=ast.Attribute(value=template, attr="format")):
            yield from sentences_in(template)
            return
        case _:
            return
    if SENTENCE.search(words.replace("{}", "")):
        yield value, words


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def faults(root: Path) -> Iterator[str]:
    """Yield what is unmarked in the platform's modules, in sentences."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            inside = path.relative_to(root).as_posix()
            for line, words in unmarked_sentences(path.read_text(encoding="utf-8")):
                yield f"{inside}:{line} shows {words[:60]!r} untranslated: mark it with _(…)."
