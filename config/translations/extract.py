"""Finds the texts for people in Python, templates, TypeScript and Svelte: those in a call of gettext.

Python is read as a syntax tree and templates by Django's own lexer. In the front end a call has its texts in place
(`tests/config/translations` asserts it), so that a pattern finds them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from django.utils.translation.template import templatize


class Text(NamedTuple):
    """A text in English. `many` is its plural form, "" for none; `context` tells equal texts apart."""

    one: str
    many: str = ""
    context: str = ""


# What the arguments of each function are.
FUNCTIONS: Final = {
    name: fields
    for base, fields in {
        "gettext": ("one",),
        "ngettext": ("one", "many"),
        "pgettext": ("context", "one"),
        "npgettext": ("context", "one", "many"),
    }.items()
    for name in (base, f"{base}_lazy", f"{base}_noop")
}
HOMES: Final = ("translation", "text", "gettext")  # the last parts of the names of modules that have these functions

OPTION: Final = "Option"  # scorebook_games.contract
HELP_PLACE: Final = 3  # of its arguments

LITERAL: Final = r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
IN_TEMPLATE: Final = re.compile(rf"\b(n?p?gettext|_)\(\s*(u?{LITERAL}(?:\s*,\s*u?{LITERAL})*)")
IN_FRONT_END: Final = re.compile(rf"\b(_|ngettext)\(\s*({LITERAL}(?:\s*,\s*{LITERAL})?)")


def texts_of(path: Path) -> Iterator[Text]:
    """Yield the texts of a source file, by its extension."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from python_texts(source)
    elif path.suffix in (".ts", ".svelte"):
        yield from front_end_texts(source)
    else:
        yield from template_texts(source)


def python_texts(source: str) -> Iterator[Text]:
    """Yield the texts of a Python module: calls of gettext's functions under whatever name it imports them, and the
    help of options, which the form translates."""
    if "gettext" not in source and f"{OPTION}(" not in source:
        return
    tree = ast.parse(source)
    names = {name: name for name in FUNCTIONS}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] in HOMES:
            names |= {alias.asname: alias.name for alias in node.names if alias.asname and alias.name in FUNCTIONS}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            fields = FUNCTIONS.get(names.get(called, ""), ())
            words = [arg.value for arg in node.args[: len(fields)] if isinstance(arg, ast.Constant)]
            if fields and len(words) == len(fields) and all(isinstance(word, str) for word in words):
                yield Text(**dict(zip(fields, map(str, words), strict=True)))
            elif called == OPTION:
                named = [keyword.value for keyword in node.keywords if keyword.arg == "help"]
                given = [*node.args[HELP_PLACE : HELP_PLACE + 1], *named]
                yield from (Text(str(each.value)) for each in given if isinstance(each, ast.Constant))


def template_texts(source: str) -> Iterator[Text]:
    """Yield the texts of a template's tags `translate` and `blocktranslate`, and of filters' arguments `_("…")`."""
    for name, arguments in IN_TEMPLATE.findall(templatize(source)):
        fields = FUNCTIONS["gettext" if name == "_" else name]
        words = [str(ast.literal_eval(each)) for each in re.findall(LITERAL, arguments)]
        yield Text(**dict(zip(fields, words, strict=False)))


def front_end_texts(source: str) -> Iterator[Text]:
    """Yield the texts of a module or component of the front end."""
    for name, arguments in IN_FRONT_END.findall(source):
        words = [str(ast.literal_eval(each)) for each in re.findall(LITERAL, arguments)]
        yield Text(*words[: 2 if name == "ngettext" else 1])
