"""The address of a database, for programs that a test starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode


def database_url(entry: Mapping[str, Any]) -> str:
    """The address that `parse_database_url` reads as this entry of Django's, but for what is in its OPTIONS."""
    user, password, name = (quote(str(entry[part]), safe="") for part in ("USER", "PASSWORD", "NAME"))
    where = urlencode({part.lower(): entry[part] for part in ("HOST", "PORT") if entry[part]})
    return f"postgresql://{user}:{password}@/{name}?{where}"
