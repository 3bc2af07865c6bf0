"""Reads typed and bounded values from the data of an uploaded file. An error names the place in the file.

`read` makes an instance of a dataclass from an object of the file, by what each field says in its type (`reads`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, TypeVar, get_args, get_type_hints

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
MAX_TIME_AHEAD: Final = timedelta(days=5 * 366)
MAX_INTEGER: Final = 2**31 - 1
Shape = TypeVar("Shape")


def bad_file_error(sentence: str) -> DomainError:
    """Return the error for a file that cannot be read, `DomainError` bad_file (400)."""
    return DomainError(400, "bad_file", sentence, "text")


def error_at(where: str, sentence: str) -> DomainError:
    """Return the error for something wrong at a place of the file."""
    return bad_file_error(f"{where}: {sentence}")


class FileObject:
    """An object of a file. `where` names it in errors: "Round 3, table 2". All methods raise `DomainError` bad_file
    (400)."""

    __slots__ = ("data", "where")

    def __init__(self, data: Any, where: str) -> None:
        self.where = where
        if not isinstance(data, Mapping):
            raise bad_file_error(_("{where} must be an object.").format(where=where))
        self.data = data

    def error(self, sentence: str) -> DomainError:
        """Return the error for something wrong in this object."""
        return error_at(self.where, sentence)

    def whole(self, name: str, least: int = 0, most: int = MAX_INTEGER, usual: int | None = None) -> int:
        """Return a whole number from `least` to `most`; `usual` if it is missing."""
        value = self.data.get(name)
        value = usual if value is None else value
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            sentence = _("{name} must be a whole number from {least} to {most}.")
            if least == most:
                sentence = _("{name} must be {least}.")
            raise self.error(sentence.format(name=name, least=least, most=most))
        return value

    def wholes(self, name: str, least: int = 0, most: int = MAX_INTEGER, longest: int = 10_000) -> list[int]:
        """Return a list of up to `longest` whole numbers from `least` to `most`; empty if it is missing."""
        values = self.data.get(name)
        values = [] if values is None else values
        fine = isinstance(values, list) and len(values) <= longest
        if not fine or any(isinstance(value, bool) or not isinstance(value, int) for value in values):
            raise self.error(_("{name} must be a list of whole numbers.").format(name=name))
        if any(not least <= value <= most for value in values):
            sentence = _("{name} must have whole numbers from {least} to {most}.")
            raise self.error(sentence.format(name=name, least=least, most=most))
        return values

    def pairs(self, name: str, longest: int = 10_000) -> list[list[int]]:
        """Return a list of up to `longest` pairs of whole numbers; empty if it is missing."""
        values = self.data.get(name)
        listed = values if isinstance(values, list) else [] if values is None else [None]
        pairs = [FileObject({"pair": pair}, self.where).wholes("pair") for pair in listed[: longest + 1]]
        if len(pairs) > longest or any(len(pair) != 2 for pair in pairs):
            raise self.error(_("{name} must be a list of pairs of numbers.").format(name=name))
        return pairs

    def number(self, name: str, bound: float = 1e6) -> float:
        """Return a number from -`bound` to `bound`; 0 if it is missing."""
        value = self.data.get(name)
        value = 0 if value is None else value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(_("{name} must be a number.").format(name=name))
        if not abs(value) <= bound:
            raise self.error(_("{name} must be a number of at most {most}.").format(name=name, most=int(bound)))
        return value

    def text(self, name: str, most: int) -> str:
        """Return a text of at most `most` characters; "" if it is missing."""
        value = self.data.get(name)
        value = "" if value is None else value
        if not isinstance(value, str) or len(value) > most:
            raise self.error(_("{name} must be a text of at most {most} characters.").format(name=name, most=most))
        return value

    def choice(self, name: str, choices: Sequence[str], usual: str = "") -> str:
        """Return one of `choices`; `usual` if it is missing."""
        value = self.data.get(name)
        value = usual if value is None else value
        if value not in choices:
            named = ", ".join(choice for choice in choices if choice)
            raise self.error(_("{name} must be one of {choices}.").format(name=name, choices=named))
        return str(value)

    def moment(self, name: str) -> datetime | None:
        """Return a date and time in UTC; None if it is missing. The file must give a time zone."""
        value = self.data.get(name)
        if value is None or value == "":
            return None
        try:
            moment = parse_datetime(value) if isinstance(value, str) else None
            fine = moment is not None and moment.tzinfo is not None
            moment = moment.astimezone(UTC) if moment is not None and fine else None
        except (ValueError, OverflowError):
            moment = None
        if moment is None or not EARLIEST <= moment <= clock.now() + MAX_TIME_AHEAD:
            raise self.error(_("{name} must be a time such as 2026-11-21T19:00:00Z.").format(name=name))
        return moment

    def anything(self, name: str) -> Any:
        """Return a value of any type; None if it is missing."""
        return self.data.get(name)

    def items(self, name: str, most: int) -> Sequence[Any]:
        """Return a list of at most `most` items of any type; empty if it is missing."""
        values = self.data.get(name)
        values = [] if values is None else values
        if not isinstance(values, list) or len(values) > most:
            raise self.error(_("{name} must be a list of at most {most}.").format(name=name, most=most))
        return values


@dataclasses.dataclass(frozen=True, slots=True)
class Reader:
    """How the value of a field is read: a function of the object and the field's name, with limits."""

    function: Callable[..., Any]
    limits: tuple[Any, ...]


def reads(function: Callable[..., Any], *limits: Any) -> Reader:
    """Return the reader of a field: a method of `FileObject`, or a function like one, and what follows the name."""
    return Reader(function, limits)


def optional(part: FileObject, name: str, function: Callable[..., Any], *limits: Any) -> Any:
    """Return the value that `function` reads; None if it is missing."""
    return None if part.data.get(name) is None else function(part, name, *limits)


def read(shape: type[Shape], part: FileObject) -> Shape:
    """Return the part as an instance of a dataclass. Fields without a reader are None. Raises `DomainError` bad_file
    (400)."""
    known: Any = shape
    readers = readers_of(known).items()
    return shape(**{name: each and each.function(part, name, *each.limits) for name, each in readers})


@cache
def readers_of(shape: type[Any]) -> dict[str, Reader | None]:
    """Return the reader of each field of the dataclass."""
    hints = get_type_hints(shape, include_extras=True)
    return {
        field.name: next((each for each in get_args(hints[field.name]) if isinstance(each, Reader)), None)
        for field in dataclasses.fields(shape)
        if field.init
    }
