"""Sentences as lists of parts, so that whoever shows one can draw its cards and name its players.

Part
----
``"plain words"``, ``{"seat": 0}`` (a player), or ``{"card": "7S"}``. Names are put in at the edge (`plain_text`), for
no log holds one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext as _

from games.engines.cards import JOKER_RANK, card_of, rank_of

Segment = str | dict[str, Any]
Segments = list[Segment]
Readable = Mapping[str, Any]
Observation = Mapping[str, Any]


class EventContext(NamedTuple):
    """An event between the positions around it, as the viewer has them; `before` is empty at the start."""

    event: Readable
    before: Observation
    after: Observation


Narrator = Callable[[EventContext], Segments]

SUIT_SIGNS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def plain_text(parts: Sequence[Segment], names: Sequence[str]) -> str:
    """The sentence as text: names for seats, `7♠` for cards."""
    return "".join(
        part if isinstance(part, str) else names[part["seat"]] if "seat" in part else card_sign(part["card"])
        for part in parts
    )


def card_sign(text: str) -> str:
    """`10♥` for TH, `joker` for one."""
    if rank_of(card_of(text)) == JOKER_RANK:
        return _("joker")
    return ("10" if text[0] == "T" else text[0]) + SUIT_SIGNS[text[1]]


def sentence(template: str, **values: Any) -> Segments:
    """`template` with its {fields} replaced: by a part, by a list of parts, or by a number or text."""
    parts: Segments = []
    for text, field in _pieces(template):
        parts.append(text)
        if field is not None:
            value = values[field]
            parts += value if isinstance(value, list) else [value if isinstance(value, dict) else str(value)]
    return merge_text(parts)


@cache
def _pieces(template: str) -> list[tuple[str, str | None]]:
    """The words of a template, each with the {field} behind it. There are as many templates as there are sentences."""
    return [(text, field) for text, field, _spec, _conversion in Formatter().parse(template)]


def merge_text(parts: Sequence[Segment]) -> Segments:
    """`parts` with neighbouring words made one, and none empty."""
    tidy: Segments = []
    for part in parts:
        if isinstance(part, str) and tidy and isinstance(tidy[-1], str):
            tidy[-1] += part
        elif part:
            tidy.append(part)
    return tidy


def seat_segment(seat: int) -> Segment:
    return {"seat": seat}


def card_segment(text: str) -> Segment:
    return {"card": text}


def card_segments(texts: Sequence[str]) -> Segments:
    """Cards side by side, a space between."""
    parts: Segments = []
    for text in texts:
        parts += [" ", card_segment(text)] if parts else [card_segment(text)]
    return parts


def list_segments(items: Sequence[Segments]) -> Segments:
    """ "a, b and c"."""
    parts: Segments = []
    for place, item in enumerate(items):
        if place:
            parts.append(_(" and ") if place == len(items) - 1 else ", ")
        parts += item
    return parts
