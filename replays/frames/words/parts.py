"""Sentences as lists of parts, so that whoever shows one can draw its cards and name its players.

Part
----
``"plain words"``, ``{"seat": 0}`` (a player), or ``{"card": "7S"}``. Names are put in at the edge (`plain`), for no
log holds one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext as _

from games.engines.cards import JOKER_RANK, card_of, rank_of

Part = str | dict[str, Any]
Parts = list[Part]
Readable = Mapping[str, Any]
Observation = Mapping[str, Any]


class Step(NamedTuple):
    """An event between the positions around it, as the viewer has them; `before` is empty at the start."""

    event: Readable
    before: Observation
    after: Observation


Teller = Callable[[Step], Parts]

SUIT_SIGNS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def plain(parts: Sequence[Part], names: Sequence[str]) -> str:
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


def sentence(template: str, **values: Any) -> Parts:
    """`template` with its {fields} replaced: by a part, by a list of parts, or by a number or text."""
    parts: Parts = []
    for text, field in _pieces(template):
        parts.append(text)
        if field is not None:
            value = values[field]
            parts += value if isinstance(value, list) else [value if isinstance(value, dict) else str(value)]
    return joined(parts)


@cache
def _pieces(template: str) -> list[tuple[str, str | None]]:
    """The words of a template, each with the {field} behind it. There are as many templates as there are sentences."""
    return [(text, field) for text, field, _spec, _conversion in Formatter().parse(template)]


def joined(parts: Sequence[Part]) -> Parts:
    """`parts` with neighbouring words made one, and none empty."""
    tidy: Parts = []
    for part in parts:
        if isinstance(part, str) and tidy and isinstance(tidy[-1], str):
            tidy[-1] += part
        elif part:
            tidy.append(part)
    return tidy


def who(seat: int) -> Part:
    return {"seat": seat}


def card(text: str) -> Part:
    return {"card": text}


def cards(texts: Sequence[str]) -> Parts:
    """Cards side by side, a space between."""
    parts: Parts = []
    for text in texts:
        parts += [" ", card(text)] if parts else [card(text)]
    return parts


def listed(items: Sequence[Parts]) -> Parts:
    """ "a, b and c"."""
    parts: Parts = []
    for place, item in enumerate(items):
        if place:
            parts.append(_(" and ") if place == len(items) - 1 else ", ")
        parts += item
    return parts
