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
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any, Final, NamedTuple, ParamSpec

from scorebook_games.presentation.text import gettext as _

Parameters = ParamSpec("Parameters")


class Sentence(NamedTuple):
    """A sentence, or a part of one, before it is read."""

    code: str
    params: Mapping[str, Any]

    def __str__(self) -> str:
        """Return it in the reader's language."""
        words = _WORDS.get(self.code)
        if words is None:
            return _("This version of Scorebook does not know the text {code}.").format(code=self.code)
        return words(**{name: _restored(value) for name, value in self.params.items()})


MAX_NUMBER: Final = 10**9  # the limits of parameters from outside
MAX_LIST_LENGTH: Final = 100
_CODE: Final = re.compile(r"[A-Za-z0-9_.>-]{1,20}")
_WORDS: Final[dict[str, Callable[..., str]]] = {}


def sentence(words: Callable[Parameters, str]) -> Callable[Parameters, Sentence]:
    """Make a function that returns a text one that returns a `Sentence`. Its name is the code, which is for ever; its
    arguments are the parameters. It is called again for the text whenever somebody reads the sentence."""
    code, arguments = words.__name__, signature(words)
    if code in _WORDS:
        raise ValueError(f"There are two sentences with the code {code}.")
    _WORDS[code] = words

    @wraps(words)
    def make(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Sentence:
        return Sentence(code, dict(arguments.bind(*args, **kwargs).arguments))

    return make


@sentence
def written(text: str) -> str:
    """A text that people have written, or one from before there were codes."""
    return text


def plain(sentences: Iterable[Sentence]) -> list[Any]:
    """Return sentences as they come back from JSON, so that they can be compared with what is stored."""
    return [_plain(each) for each in sentences]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def text(stored: Iterable[Sequence[Any]]) -> str:
    """Return stored sentences, each a code and its parameters, in the reader's language."""
    return " ".join(str(Sentence(*each)) for each in stored)


def is_sentence(value: Any) -> bool:
    """Return whether a value from outside is a code that is known here, with parameters that it can have."""
    if not (_has_form(value) and value[0] in _WORDS and all(map(_is_parameter, value[1].values()))):
        return False
    try:
        str(Sentence(*value))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return False
    return True


def _is_parameter(value: Any) -> bool:
    """Return whether a value is a number, a code, a sentence, or a list of these."""
    if isinstance(value, str):
        return bool(_CODE.fullmatch(value))
    if isinstance(value, int | float):
        return abs(value) <= MAX_NUMBER
    return is_sentence(value) or (
        isinstance(value, list) and len(value) <= MAX_LIST_LENGTH and all(map(_is_parameter, value))
    )


def _restored(value: Any) -> Any:
    return Sentence(*value) if _has_form(value) else value


def _has_form(value: Any) -> bool:
    return (
        isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict)
    )
