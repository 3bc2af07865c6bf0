"""Names in right-to-left scripts beside other text."""

from __future__ import annotations

import unicodedata
from typing import Final

FIRST_STRONG_ISOLATE: Final = "\u2068"
POP_ISOLATE: Final = "\u2069"
RIGHT_TO_LEFT: Final = {"R", "AL", "AN"}


def isolated(name: str) -> str:
    """Return a name so that it moves nothing beside it: a name with right-to-left letters is put into isolates, as
    HTML's `bdi` does. Other names are returned unchanged."""
    if RIGHT_TO_LEFT.isdisjoint(map(unicodedata.bidirectional, name)):
        return name
    return f"{FIRST_STRONG_ISOLATE}{name}{POP_ISOLATE}"
