"""Sentences as lists of parts, so that a viewer can draw their cards and name their players.

A part is ``"plain words"``, ``{"seat": 0}`` (a player), or ``{"card": "7S"}``. `plain_text` adds names at the end,
because no log holds names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Any, Final, NamedTuple

from scorebook_games.cards import JOKER_RANK, card_of, rank_of
from scorebook_games.presentation.text import gettext as _

Segment = str | dict[str, Any]
Segments = list[Segment]
Readable = Mapping[str, Any]
Observation = Mapping[str, Any]


class EventContext(NamedTuple):
    """An event, and the positions before and after it as the viewer sees them. `before` is empty at the start."""

    event: Readable
    before: Observation
    after: Observation


class Reason(NamedTuple):
    """Why an event followed from the rules: a sentence, and the clause of the rules that says so."""

    words: str
    clause: str


Narrator = Callable[[EventContext], Segments]
Reasoner = Callable[[EventContext], Reason | None]

SUIT_SIGNS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def plain_text(parts: Sequence[Segment], names: Sequence[str]) -> str:
    """Return the sentence as text: names for seats, `7♠` for cards."""
    return "".join(
        part if isinstance(part, str) else names[part["seat"]] if "seat" in part else card_sign(part["card"])
        for part in parts
    )


def card_sign(text: str) -> str:
    """Return a card as `10♥` (for TH) or `joker`."""
    if rank_of(card_of(text)) == JOKER_RANK:
        return _("joker")
    return ("10" if text[0] == "T" else text[0]) + SUIT_SIGNS[text[1]]


def sentence(template: str, **values: Any) -> Segments:
    """Return `template` with its {fields} replaced by a part, a list of parts, a number or a text."""
    parts: Segments = []
    for text, field in _pieces(template):
        parts.append(text)
        if field is not None:
            value = values[field]
            parts += value if isinstance(value, list) else [value if isinstance(value, dict) else str(value)]
    return merge_text(parts)


@cache
def _pieces(template: str) -> list[tuple[str, str | None]]:
    """Split a template into its words, each with the {field} after them. The cache has one entry for each template."""
    return [(text, field) for text, field, _spec, _conversion in Formatter().parse(template)]


def merge_text(parts: Sequence[Segment]) -> Segments:
    """Join neighbouring words in `parts`, and drop empty ones."""
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
    """Return cards side by side, with spaces between them."""
    parts: Segments = []
    for text in texts:
        parts += [" ", card_segment(text)] if parts else [card_segment(text)]
    return parts


def list_segments(items: Sequence[Segments]) -> Segments:
    """Return a list as “a, b and c”."""
    parts: Segments = []
    for place, item in enumerate(items):
        if place:
            parts.append(_(" and ") if place == len(items) - 1 else ", ")
        parts += item
    return parts


def describe_event(event: Readable) -> Segments:
    """Return an event described by its field names: who, its type, and each value; [] if the viewer may not know it."""
    kind = event["type"]
    if kind == "redacted":
        return []
    parts: Segments = [seat_segment(event["seat"]), ": "] if isinstance(event.get("seat"), int) else []
    words = [str(kind).replace("_", " ")]
    words += [
        f"{name.replace('_', ' ')} {_plain(value)}" for name, value in event.items() if name not in ("type", "seat")
    ]
    return merge_text([*parts, ", ".join(words), "."])


def _plain(value: Any) -> str:
    """Return a value of an event as text, such as "3" or "7S KH"; "–" for what is hidden."""
    if isinstance(value, list):
        return " ".join(map(_plain, value)) or "–"
    return "–" if value is None else str(value)
