"""The numbered clauses of a kind's rules page."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

# A heading or list item that begins with its number, such as `CT-7`.
CLAUSE: Final = re.compile(r"^\s*(?:[-*]|#+|\d+\.)\s+(?:\*\*)?([A-Z]{2,3}-\d+[a-z]?)\b", re.MULTILINE)


@cache
def clauses_of(page: Path) -> tuple[str, ...]:
    """Return the numbers of the clauses on the page, in order."""
    return tuple(CLAUSE.findall(page.read_text(encoding="utf-8")))
