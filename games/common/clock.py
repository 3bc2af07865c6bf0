"""The only place where Scorebook asks for the time. Tests and the demo set their own time here.

Only leases use the database's clock, because several machines must agree on them (`games.workers.leases`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_fixed: ContextVar[datetime | None] = ContextVar("fixed_time", default=None)


def now() -> datetime:
    """Return the present in UTC."""
    return _fixed.get() or datetime.now(UTC)


@contextmanager
def frozen_at(moment: datetime) -> Iterator[None]:
    """Set the time to `moment` within the block."""
    token = _fixed.set(moment)
    try:
        yield
    finally:
        _fixed.reset(token)
