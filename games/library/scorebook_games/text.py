"""Texts for people: in English, or translated by the surrounding program (`use_translations`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Translations(NamedTuple):
    """How a program translates a text, and a text that depends on a count."""

    text: Callable[[str], str]
    plural: Callable[[str, str, int], str]


def english_plural(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


_in_use = Translations(lambda message: message, english_plural)


def use_translations(translations: Translations) -> None:
    """Have all texts of this process translated with `translations`."""
    global _in_use
    _in_use = translations


def gettext(message: str) -> str:
    """Return the text in the reader's language; "" stays empty."""
    return _in_use.text(message) if message else ""


def ngettext(one: str, many: str, count: int) -> str:
    """Return the text for this count in the reader's language."""
    return _in_use.plural(one, many, count)


def join_with_and(words: Sequence[str]) -> str:
    """Return the words as "a, b and c"; "" for none."""
    if len(words) < 2:
        return "".join(words)
    return gettext("{most} and {last}").format(most=", ".join(words[:-1]), last=words[-1])


def join_with_or(words: Sequence[str]) -> str:
    """Return the words as "a, b or c"; "" for none."""
    if len(words) < 2:
        return "".join(words)
    return gettext("{most} or {last}").format(most=", ".join(words[:-1]), last=words[-1])


def gettext_noop(message: str) -> str:
    """Mark a text that is translated where it is shown."""
    return message
