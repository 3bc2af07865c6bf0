"""Generates the second half of docs/reference/events.md, the events of seasons and rating pools, from their classes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from django.conf import settings

from tournaments.core.event import StreamEvent
from tournaments.ratings.elo import RatingEvent
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.registry import FAMILIES

FILE: Final[Path] = settings.BASE_DIR / "docs" / "reference" / "events.md"
HEAD: Final = """\
## A season

`bin/dev manage write_documents` writes this part of the page from the classes in `tournaments/seasons/events/` and
`tournaments/ratings/elo.py`. `division` is a division's number, `entrant` an entrant's number in the season; `match`,
`game` and `player` are ids. If a person caused the event, `by` is the user's id (null: the platform). `note` is the id
and the salted hash of the text that they wrote, `[id, hash]`, or null. The text itself is a row that can be blanked.

A season whose log has a type that is not listed here stops, and says so; other seasons go on.
"""


def text() -> str:
    """Return the whole page: what stands before these events, and the generated part."""
    page = FILE.read_text(encoding="utf-8")
    return page[: page.index("## A season")] + HEAD + "".join(sections())


def sections() -> Iterator[str]:
    """Return a table for each family of season events, then that of rating pools."""
    for family in FAMILIES:
        title = (family.__doc__ or "").partition(" Pure.")[0]
        yield f"\n{title}\n\n| type | followed by | when | notified | in the audit log as |\n|---|---|---|---|---|\n"
        for event in _of_module(family):
            yield row(event, ", ".join(event.audience), event.action)
    yield "\n## A rating pool\n\n| type | followed by | when |\n|---|---|---|\n"
    for rating in RatingEvent.types.values():
        yield row(rating)


def row(event: type[StreamEvent], *more: str) -> str:
    cells = [f"`{event.type}`", ", ".join(fields(event)), " ".join((event.__doc__ or "").split()), *more]
    return f"| {' | '.join(cells)} |\n"


def fields(event: type[StreamEvent]) -> Iterator[str]:
    """Return the event's fields as they follow its type in the log."""
    hints = get_type_hints(event, include_extras=True)
    for name in event.field_names():
        form: Any = get_args(hints[name])[1] if get_origin(hints[name]) is Annotated else name
        yield f"`{form}`" if form.startswith("{") else form


def _of_module(family: ModuleType) -> Iterator[type[SeasonEvent]]:
    return (event for event in SeasonEvent.types.values() if event.__module__ == family.__name__)
