"""Parses the address of a database; no other module does."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

# On a solid-state disk, a random page costs little more than the next one. PostgreSQL's own default is for spinning
# disks; with it, lists of one kind of game scanned the whole table of games.
PLANS = "-c random_page_cost=1.1"
POOL_TIMEOUT_SECONDS = 5.0  # seconds that a request waits for a connection of the pool
URL_FORM = "postgresql://user:password@host:port/name, or ?host=/socket/folder in place of host and port"


def parse_database_url(url: str) -> dict[str, object]:
    """Return Django's entry for a database URL. Raises ImproperlyConfigured, without the password, for a bad one."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ImproperlyConfigured(
            f"The database address has an invalid host or port. It must look like {URL_FORM}."
        ) from None
    if parts.scheme not in ("postgresql", "postgres") or len(parts.path) < 2:
        raise ImproperlyConfigured(f"The database address is invalid. It must look like {URL_FORM}.")
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", None) or parts.hostname or "",
        "PORT": str(port or query.pop("port", "")),
        # A thread that waits for its next request would keep one of the server's places. See `pooled`.
        "CONN_MAX_AGE": 0,
        "OPTIONS": {"options": PLANS, **query},
    }


def pooled(entry: dict[str, Any], size: int) -> dict[str, Any]:
    """Return the entry with a pool of at most `size` connections, each checked before it is lent.

    A restarted database therefore causes no errors. A request that gets no connection within `POOL_TIMEOUT_SECONDS` is
    told that the database is away.
    """
    # Attempts to connect get rarer the longer they fail. After they are given up, the next request starts them again.
    pool = {"min_size": 1, "max_size": size, "timeout": POOL_TIMEOUT_SECONDS, "reconnect_timeout": POOL_TIMEOUT_SECONDS}
    return {**entry, "CONN_HEALTH_CHECKS": True, "OPTIONS": {**entry["OPTIONS"], "pool": pool}}


def redacted_url(url: str) -> str:
    """Return a database's host and name, never the password, for people."""
    entry = parse_database_url(url)
    host, port = entry["HOST"] or "localhost", entry["PORT"]
    return f"{entry['NAME']} at {host}{f':{port}' if port else ''}"
