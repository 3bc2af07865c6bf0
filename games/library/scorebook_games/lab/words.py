"""The words of the SDK and of a kind's observations, with their explanations, for an editor's completion.

They are read from the docstrings and comments of the SDK, and from what each kind says of its fields.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from scorebook_games.bots.sdk import scorebook_bot
from scorebook_games.bots.sdk.scorebook_bot import Bot, View
from scorebook_games.cli.fields import common_fields, kind_fields

ITEM: Final = re.compile(r"^ *- ([a-z_, ]+): (.*(?:\n {6,}\S.*)*)", re.MULTILINE)  # "- kind, seat: as in hello"
ATTRIBUTE: Final = re.compile(r"^    (\w+): .*?  # (.*)$", re.MULTILINE)


class Word(NamedTuple):
    """A word that can be completed. `after` is what stands before it: "view.", "view[", "def " or ""."""

    after: str
    word: str
    detail: str
    info: str


def words_of(kind: str) -> list[dict[str, str]]:
    """Return the words for bots of a kind, as JSON data."""
    return [word._asdict() for word in [*sdk_words(), *field_words(kind)]]


@cache
def sdk_words() -> tuple[Word, ...]:
    """Return the words of the SDK."""
    return (*view_words(), *bot_words(), *tool_words())


def view_words() -> Iterator[Word]:
    """Yield what a view has: the list in its docstring, and its methods."""
    for names, meaning in ITEM.findall(View.__doc__ or ""):
        for name in names.split(", "):
            yield Word("view.", name, "", one_line(meaning))
    yield Word("view.", "get", signature(View.get), one_line(View.get.__doc__))


def bot_words() -> Iterator[Word]:
    """Yield the methods and attributes that a bot may have."""
    for name, member in vars(Bot).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            yield Word("def ", name, signature(member), one_line(member.__doc__))
    for name, meaning in ATTRIBUTE.findall(inspect.getsource(Bot)):
        yield Word("", name, "", one_line(meaning))


def tool_words() -> Iterator[Word]:
    """Yield the names of the module that a bot's file may import."""
    for name in ("Bot", "Part", "moves_in", "bundle_by_move"):
        member = getattr(scorebook_bot, name)
        shown = signature(member) if inspect.isfunction(member) else ""
        yield Word("scorebook_bot.", name, shown, one_line(member.__doc__))


def field_words(kind: str) -> Iterator[Word]:
    """Yield the outer fields of the kind's observations."""
    for field in [*kind_fields(kind), *common_fields()]:
        if not re.search(r"[.\[{]", field.path):
            yield Word("view[", field.path, field.type, field.meaning)


def signature(member: object) -> str:
    """Return the parameters of a function as they are written: `(self, view, legal)`."""
    names = list(inspect.signature(member).parameters)  # type: ignore[arg-type]
    return f"({', '.join(names)})"


def one_line(doc: str | None) -> str:
    """Return a docstring without line ends."""
    return " ".join((doc or "").split())
