"""A serializer made from a dataclass has its fields by their types, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, ClassVar

import pytest

from games.common.dataclass_serializer import UNSENT, field_of, serializer_of


@dataclass(frozen=True)
class Cup:
    """A cup.

    Of tea.
    """

    component: ClassVar[str] = "Mug"

    name: str
    secret: Annotated[str, UNSENT]
    full: Annotated[float | None, "0 to 1."]


@dataclass(frozen=True)
class Shelf:
    cups: list[Cup]
    since: datetime
    counts: dict[str, int]


def test_it_shows_every_field_but_the_unsent() -> None:
    cup = Cup("Kettle", "x", None)
    shown = serializer_of(Shelf)(Shelf([cup], datetime(2026, 11, 21, tzinfo=UTC), {"red": 1})).data
    assert list(shown) == ["cups", "since", "counts"]
    assert dict(shown["cups"][0]) == {"name": "Kettle", "full": None}
    assert (shown["since"], shown["counts"]) == ("2026-11-21T00:00:00Z", {"red": 1})


def test_its_name_and_texts_are_those_of_the_dataclass() -> None:
    made = serializer_of(Cup)
    assert (made.__name__, made.__doc__) == ("MugSerializer", "A cup.")
    assert made().fields["full"].help_text == "0 to 1."
    assert made().fields["full"].allow_null
    assert serializer_of(Cup) is made


def test_a_type_that_has_no_field_is_refused() -> None:
    with pytest.raises(TypeError, match="bytes"):
        field_of(bytes)
