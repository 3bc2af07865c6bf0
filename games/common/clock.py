"""The one place where Scorebook asks what time it is. Tests put their own time here, and so does the story that
the demo tells.

Leases alone go by the database's clock, since several machines must agree on them (`games.workers.leases`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_fixed: ContextVar[datetime | None] = ContextVar("fixed_time", default=None)


def now() -> datetime:
    """The present, in UTC."""
    return _fixed.get() or datetime.now(UTC)


@contextmanager
def frozen_at(moment: datetime) -> Iterator[None]:
    """Let it be `moment` within the block."""
    token = _fixed.set(moment)
    try:
        yield
    finally:
        _fixed.reset(token)
