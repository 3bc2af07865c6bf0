"""Sentences that are made when they are read, in the reader's language. A code and its parameters are stored.

    @sentence
    def same_points(points: float) -> str:
        return _("Both have {points} points.").format(points=points)

    made = same_points(2)            # Sentence("same_points", {"points": 2}), in JSON ["same_points", {"points": 2}]
    str(made)                        # Both have 2 points.
    text([["same_points", {"points": 2}]])  # the same from stored data

Parameters are numbers, codes, lists of these, and sentences, which become a part of the whole one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import signature
from typing import Any, Final, NamedTuple, ParamSpec, get_args, get_origin, get_type_hints

from scorebook_games.presentation.text import gettext as _

Parameters = ParamSpec("Parameters")


class Sentence(NamedTuple):
    """A sentence, or a part of one, before it is read."""

    code: str
    params: Mapping[str, Any]

    def __str__(self) -> str:
        """Return it in the reader's language. One whose code or parameters have no words here does not stop a page."""
        try:
            return _WORDS[self.code](**{name: _restored(value) for name, value in self.params.items()})
        except UNREADABLE:
            return _("This version of Scorebook does not know the text {code}.").format(code=self.code)


MAX_NUMBER: Final = 10**9  # the limits of parameters from outside
MAX_LIST_LENGTH: Final = 100
MAX_DEPTH: Final = 5  # of sentences in sentences
UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)  # what odd parameters raise
_CODE: Final = re.compile(r"[A-Za-z0-9_.>-]{1,20}")
_WORDS: Final[dict[str, Callable[..., str]]] = {}


def sentence(words: Callable[Parameters, str]) -> Callable[Parameters, Sentence]:
    """Make a function that returns a text one that returns a `Sentence`. Its name is the code, which is for ever; its
    arguments are the parameters. It is called again for the text whenever somebody reads the sentence."""
    code, arguments = words.__name__, signature(words)
    define(code, words)

    @wraps(words)
    def make(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Sentence:
        return Sentence(code, dict(arguments.bind(*args, **kwargs).arguments))

    return make


def define(code: str, words: Callable[..., str]) -> None:
    """Let `words` make the text of the sentences with this code. Functions with `@sentence` are defined by it."""
    if code in _WORDS:
        raise ValueError(f"There are two sentences with the code {code}.")
    _WORDS[code] = words


@sentence
def written(text: str) -> str:
    """A text that people have written, or one from before there were codes."""
    return text


def plain(sentences: Iterable[Sentence]) -> list[Any]:
    """Return sentences as they come back from JSON, so that they can be compared with what is stored."""
    return [_plain(sentence) for sentence in sentences]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(value) for name, value in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def text(stored: Iterable[Sequence[Any]]) -> str:
    """Return stored sentences, each a code and its parameters, in the reader's language."""
    return " ".join(str(Sentence(*each)) for each in stored)


def codes_of(module: str) -> frozenset[str]:
    """Return the codes of the sentences that a module defines."""
    return frozenset(code for code, words in _WORDS.items() if words.__module__ == module)


def is_sentence(value: Any, codes: Collection[str], depth: int = MAX_DEPTH) -> bool:
    """Return whether a value from outside is one of `codes` with the parameters of its function: each of the type that
    is declared there, and the sentences among them of `codes` too, at most `depth` in one another."""
    if not (depth and _has_form(value) and value[0] in codes):
        return False
    words, params, types = _WORDS[value[0]], value[1], _parameter_types(value[0])
    if not all(name in types and _fits(param, types[name], codes, depth - 1) for name, param in params.items()):
        return False
    try:
        words(**{name: _restored(param) for name, param in params.items()})
    except UNREADABLE:
        return False
    return True


@cache
def _parameter_types(code: str) -> dict[str, Any]:
    types = get_type_hints(_WORDS[code])
    del types["return"]
    return types


def _fits(value: Any, wanted: Any, codes: Collection[str], depth: int) -> bool:
    """Return whether a parameter from outside has the type `wanted`: numbers and lists within limits, texts that are
    codes."""
    if wanted is Sentence:
        return is_sentence(value, codes, depth)
    if get_origin(wanted) is Sequence:
        (each_type,) = get_args(wanted)
        return (
            isinstance(value, list)
            and len(value) <= MAX_LIST_LENGTH
            and all(_fits(each, each_type, codes, depth) for each in value)
        )
    if wanted is str:
        return isinstance(value, str) and bool(_CODE.fullmatch(value))
    return type(value) in ((int, float) if wanted is float else (wanted,)) and abs(value) <= MAX_NUMBER


def _restored(value: Any) -> Any:
    return Sentence(*value) if _has_form(value) else value


def _has_form(value: Any) -> bool:
    return (
        isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict)
    )
