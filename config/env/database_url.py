"""A database's address: the one place that reads it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

# A page read out of order costs a solid-state disk little more than the next one. By PostgreSQL's own figure, which is
# for disks that turn, lists of a kind of game went through the whole table of games.
PLANS = "-c random_page_cost=1.1"
POOL_TIMEOUT_SECONDS = 5.0  # seconds that a request waits for a connection of the pool
URL_FORM = "postgresql://user:password@host:port/name, or ?host=/socket/folder in place of host and port"


def parse_database_url(url: str) -> dict[str, object]:
    """Django's entry for an address of that form. ImproperlyConfigured, without the password, for any other."""
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
        # Each request of an ASGI server has a thread of its own: a connection that was kept for longer would be found
        # by no other request, and hold one of the server's places until Python's collector comes by. See `pooled`.
        "CONN_MAX_AGE": 0,
        "OPTIONS": {"options": PLANS, **query},
    }


def pooled(entry: dict[str, Any], size: int) -> dict[str, Any]:
    """The same entry, whose connections are lent to requests and given back: no more than `size`, each looked at before
    it is lent, so that a database that was started anew costs no request an error. A request that gets none within
    `POOL_TIMEOUT_SECONDS` is told that the database is away."""
    # Attempts to connect get rarer the longer they fail; given up after a while, they begin anew with the next request.
    pool = {"min_size": 1, "max_size": size, "timeout": POOL_TIMEOUT_SECONDS, "reconnect_timeout": POOL_TIMEOUT_SECONDS}
    return {**entry, "CONN_HEALTH_CHECKS": True, "OPTIONS": {**entry["OPTIONS"], "pool": pool}}


def redacted_url(url: str) -> str:
    """Host and name of a database, for people: never its password."""
    entry = parse_database_url(url)
    host, port = entry["HOST"] or "localhost", entry["PORT"]
    return f"{entry['NAME']} at {host}{f':{port}' if port else ''}"
