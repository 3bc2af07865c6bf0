"""Makes serializers from dataclasses, so that what the API shows is declared once.

The type of a field decides how it is shown. `Annotated[str, "…"]` adds the field's description in the OpenAPI document,
and `Annotated[str, UNSENT]` leaves the field out. The component is named after the dataclass or its `component`, and
its description is the first paragraph of the docstring.
"""

from __future__ import annotations

import dataclasses
import inspect
from datetime import date, datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from rest_framework import serializers

from games.common.sentences import SentenceSerializer
from scorebook_games.presentation.coded_text import Sentence

UNSENT: Final = object()
SCALARS: Final[dict[Any, type[serializers.Field[Any, Any, Any, Any]]]] = {
    str: serializers.CharField,
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    datetime: serializers.DateTimeField,
    date: serializers.DateField,
    Sentence: SentenceSerializer,
}


@cache
def serializer_of(shape: Any) -> type[serializers.Serializer[Any]]:
    """Return a serializer that shows instances of this dataclass, with its fields in order."""
    hints = get_type_hints(shape, include_extras=True)
    name = getattr(shape, "component", shape.__name__)
    text = (inspect.getdoc(shape) or "").partition("\n\n")[0]
    declared = {"__doc__": " ".join(text.split()), **{field: field_of(hints[field]) for field in sent_fields(shape)}}
    return type(f"{name}Serializer", (serializers.Serializer,), declared)


@cache
def sent_fields(shape: Any) -> list[str]:
    """Return the fields of a dataclass that are shown, in order."""
    hints = get_type_hints(shape, include_extras=True)
    return [field.name for field in dataclasses.fields(shape) if UNSENT not in get_args(hints[field.name])]


def field_of(hint: Any, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    """Return the field that shows values of this type: a scalar, a dataclass, a list or dict of these, or None.

    Raises `TypeError` for any other type.
    """
    of, arguments = get_origin(hint), get_args(hint)
    if of is Annotated:
        text = next((each for each in arguments[1:] if isinstance(each, str)), None)
        return field_of(arguments[0], help_text=text, **options)
    if of in (Union, UnionType):
        (argument,) = [argument for argument in arguments if argument is not NoneType]
        return field_of(argument, allow_null=True, **options)
    if of is list and is_shape(arguments[0]):
        return serializer_of(arguments[0])(many=True, **options)
    if of is list:
        return serializers.ListField(child=field_of(arguments[0]), **options)
    if of is dict and arguments[1] is Any:
        return serializers.DictField(**options)
    if of is dict:
        return serializers.DictField(child=field_of(arguments[1]), **options)
    if hint in SCALARS:
        return SCALARS[hint](**options)
    if is_shape(hint):
        return serializer_of(hint)(**options)
    raise TypeError(f"There is no field for {hint!r}.")


def is_shape(hint: Any) -> bool:
    """Return whether this is a dataclass."""
    return dataclasses.is_dataclass(hint)
