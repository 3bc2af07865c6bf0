"""The fields of an observation, described by its type: tables for documents and commands, and checks of real ones.

A kind describes what its rules show as a `TypedDict`. Each field is ``Annotated[type, "its meaning"]``. Types are int,
bool, str, `Literal`, lists, dictionaries by text, further `TypedDict`s, each also ``| None``, and the aliases below. A
field that is not always there is ``NotRequired``.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from scorebook_games.cards import RANKS, TEXTS


@dataclass(frozen=True, slots=True)
class Notation:
    """A sort of value: its name in singular and plural, and its values (none means any value of the type)."""

    name: str
    plural: str
    values: frozenset[str] = frozenset()


Card = Annotated[str, Notation("card", "cards", frozenset(TEXTS))]
HiddenCard = Annotated[str, Notation("card or `??`", "cards or `??`", frozenset([*TEXTS, "??"]))]
Rank = Annotated[str, Notation("rank", "ranks", frozenset(RANKS))]
Seat = Annotated[int, Notation("seat", "seats")]
OptionValues = Annotated[dict[str, Any], Notation("options by name", "options by name")]

WORDS = {int: ("whole number", "whole numbers"), bool: ("true or false", "true or false"), str: ("text", "texts")}


@dataclass(frozen=True, slots=True)
class Field:
    """A row of the table: `seats[].hand`, its type in words, and its meaning."""

    path: str
    type: str
    meaning: str


def fields_of(shape: Any, before: str = "", listed: dict[Any, str] | None = None) -> Iterator[Field]:
    """Yield the fields of a `TypedDict`, each followed by the fields inside it.

    `listed` has the path of each inner shape that was listed before. The next field of that shape refers to it.
    """
    listed = {} if listed is None else listed
    for name, given in hints(shape).items():
        path = f"{before}{name}"
        inside = inner_shape(given, path)
        words = type_words(given)
        if inside is None:
            yield Field(path, words, parted(given)[1])
        elif inside[0] in listed:
            yield Field(path, f"{words}, as `{listed[inside[0]]}`", parted(given)[1])
        else:
            listed[inside[0]] = inside[1]
            yield Field(path, words, parted(given)[1])
            yield from fields_of(inside[0], f"{inside[1]}.", listed)


def inner_shape(given: Any, path: str) -> tuple[Any, str] | None:
    """Return the `TypedDict` inside a type with its path, or None if there is none."""
    inner, _meaning = parted(given)
    if is_typeddict(inner):
        return inner, path
    if get_origin(inner) is list:
        return inner_shape(get_args(inner)[0], f"{path}[]")
    if get_origin(inner) is dict:
        return inner_shape(get_args(inner)[1], f"{path}{{}}")
    alternatives = without_none(inner)
    return inner_shape(alternatives[0], path) if alternatives else None


@cache
def hints(shape: Any) -> dict[str, Any]:
    """Return the types of the fields of a `TypedDict`."""
    return get_type_hints(shape, include_extras=True)


def is_optional(given: Any) -> bool:
    """Return whether a field may be left out."""
    return get_origin(given) is NotRequired


def parted(given: Any) -> tuple[Any, str]:
    """Return the type of a field without its annotations, and its meaning."""
    if is_optional(given):
        return parted(get_args(given)[0])
    meanings = [note for note in getattr(given, "__metadata__", ()) if isinstance(note, str)]
    return get_args(given)[0] if get_origin(given) is Annotated else given, " ".join(meanings)


def notation_of(given: Any) -> Notation | None:
    """Return the notation that a type is an alias of."""
    if is_optional(given):
        return notation_of(get_args(given)[0])
    return next((note for note in getattr(given, "__metadata__", ()) if isinstance(note, Notation)), None)


def without_none(given: Any) -> list[Any]:
    """Return the types of ``X | None`` without None; nothing for any other type."""
    if get_origin(given) not in (Union, types.UnionType):
        return []
    return [arg for arg in get_args(given) if arg is not type(None)]


def type_words(given: Any, *, many: bool = False) -> str:
    """Return a type in words: `list of cards, or null`."""
    if notation := notation_of(given):
        return notation.plural if many else notation.name
    inner, _meaning = parted(given)
    if inner in WORDS:
        return WORDS[inner][many]
    if is_typeddict(inner):
        return "objects" if many else "object"
    origin, inside = get_origin(inner), get_args(inner)
    if origin is Literal:
        return "one of " + ", ".join(f"`{value}`" for value in inside)
    if origin is list:
        return f"{'lists' if many else 'list'} of {type_words(inside[0], many=True)}"
    if origin is dict:
        return f"{'objects' if many else 'object'} of {type_words(inside[1], many=True)}, by {type_words(inside[0])}"
    (alternative,) = without_none(inner)
    return f"{type_words(alternative, many=many)}{' or nulls' if many else ', or null'}"


Check = Callable[[Any, str], str]  # says of a value and its path what is not of a type, or ""


def mismatch(given: Any, value: Any, path: str = "") -> str:
    """Return a sentence that says where `value` is not of the type, or ""."""
    return check_of(given)(value, path)


@cache
def check_of(given: Any) -> Check:
    """Return the check of a type. It is made once, because a game has thousands of observations."""
    inner, _meaning = parted(given)
    origin, inside = get_origin(inner), get_args(inner)
    if notation := notation_of(given):
        values = notation.values
        return checked_by(given, values.__contains__ if values else lambda value: type(value) is (origin or inner))
    if is_typeddict(inner):
        return object_check(inner)
    if origin is list:
        return items_check(given, list, inside[0], "[]")
    if origin is dict:
        return items_check(given, dict, inside[1], "{}")
    if alternatives := without_none(inner):
        of_other = check_of(alternatives[0])
        return lambda value, path: "" if value is None else of_other(value, path)
    return checked_by(given, inside.__contains__ if origin is Literal else lambda value: type(value) is inner)


def checked_by(given: Any, fits: Callable[[Any], bool]) -> Check:
    """Return the check of a type whose values have no parts."""
    return lambda value, path: "" if fits(value) else unfit(given, value, path)


def items_check(given: Any, sort: type, of: Any, sign: str) -> Check:
    """Return the check of a list or a dictionary whose items have the type `of`."""
    of_item = check_of(of)

    def check(value: Any, path: str) -> str:
        if not isinstance(value, sort):
            return unfit(given, value, path)
        items: Any = value.values() if isinstance(value, dict) else value
        inner = path + sign
        for item in items:
            if fault := of_item(item, inner):
                return fault
        return ""

    return check


def unfit(given: Any, value: Any, path: str) -> str:
    """Return the sentence for a value that is not of its type."""
    return f"{path} is {value!r}, which is not: {type_words(given)}."


def object_check(shape: Any) -> Check:
    """Return the check of a `TypedDict`: its fields, no others, and their types."""
    fields = {name: check_of(given) for name, given in hints(shape).items()}
    needed = [name for name, given in hints(shape).items() if not is_optional(given)]

    def check(value: Any, path: str) -> str:
        if not isinstance(value, dict):
            return f"{path} is {value!r}, which is not an object."
        if unknown := sorted(value.keys() - fields.keys()):
            return f"{path or 'It'} has {', '.join(unknown)}, which is not described."
        if missing := [name for name in needed if name not in value]:
            return f"{path or 'It'} has no {', '.join(missing)}."
        before = f"{path}." if path else ""
        for name, each in value.items():
            if fault := fields[name](each, before + name):
                return fault
        return ""

    return check


def guessed_fields(observation: dict[str, Any]) -> Iterator[Field]:
    """Yield the fields of an observation that nobody has described, with types taken from the values."""
    for name, value in observation.items():
        kinds = {dict: "object", list: "list", type(None): "null"}
        yield Field(name, kinds.get(type(value)) or WORDS[type(value)][0], "")
