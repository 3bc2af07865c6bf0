"""Returns the address of a database for programs that a test starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode


def database_url(entry: Mapping[str, Any]) -> str:
    """Return the address from which `parse_database_url` makes this entry of Django's settings, without its OPTIONS."""
    user, password, name = (quote(str(entry[part]), safe="") for part in ("USER", "PASSWORD", "NAME"))
    where = urlencode({part.lower(): entry[part] for part in ("HOST", "PORT") if entry[part]})
    return f"postgresql://{user}:{password}@/{name}?{where}"
