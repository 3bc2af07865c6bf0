"""Handles a full disk of the database: writes are refused, and nothing is written in part.

PostgreSQL reports it by SQLSTATE 53100 (appendix A of its manual). The process that meets it remembers it, and records
an incident as soon as it can write, so that the dashboards of all processes show it.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import psycopg
from django.db import Error, connection, transaction
from django.utils.translation import gettext as _
from psycopg.errors import DiskFull
from psycopg_pool import PoolTimeout

from games.common import clock
from games.common.errors import DomainError, busy_error, database_away_error
from games.common.incidents import database_disk_full
from games.common.models import Incident
from scorebook_games.presentation.coded_text import plain

DISK_FULL: Final = "disk_full"
RETRY_AFTER_SECONDS: Final = 60  # seconds before another try makes sense
SHOWN_FOR: Final = timedelta(minutes=5)  # how long a full disk is shown after the last refusal
PROBE_INTERVAL_SECONDS: Final = 2.0  # seconds
CONNECTION_FIELDS: Final = ("host", "port", "dbname", "user", "password")
INCIDENT_INTERVAL: Final = timedelta(minutes=1)  # one incident in this time is enough


@dataclass
class DiskFullState:
    """When this process last met a full disk, and up to when it has recorded that."""

    met: datetime | None = None
    recorded_at: datetime | None = None


process_state: Final = DiskFullState()


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error of Django's reports a full disk."""
    return isinstance(error, Error) and isinstance(error.__cause__, DiskFull)


def unavailable_error(error: BaseException) -> DomainError:
    """Return the error (503) for a request that met `error`, one of `games.common.errors.DATABASE_AWAY_ERRORS`.

    A full disk is remembered.
    """
    if not is_disk_full(error):
        return busy_error() if is_pool_empty(error) and database_probe.works() else database_away_error()
    remember_disk_full(error)
    sentence = _(
        "The database’s disk is full, so nothing can be saved at the moment. Your change was not saved; "
        "everything can still be read. Try again in a few minutes. The admins see this on their dashboard."
    )
    return DomainError(503, DISK_FULL, sentence, wait_s=RETRY_AFTER_SECONDS)


def is_pool_empty(error: BaseException) -> bool:
    """Return whether no connection became free in time (`config.env.database_url.pooled`)."""
    return isinstance(error, Error) and isinstance(error.__cause__, PoolTimeout)


@dataclass
class DatabaseProbe:
    """Tests whether a separate connection reaches the database, once in `PROBE_INTERVAL_SECONDS` for all requests."""

    asked: float = -math.inf
    worked: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def works(self) -> bool:
        with self.lock:
            if time.monotonic() - self.asked > PROBE_INTERVAL_SECONDS:
                self.worked = database_answers()
                self.asked = time.monotonic()
            return self.worked


def database_answers() -> bool:
    """Return whether the database answers from outside of the pool. One without free connections does."""
    facts = {name: value for name, value in connection.get_connection_params().items() if name in CONNECTION_FIELDS}
    try:
        psycopg.connect(**facts, connect_timeout=2).close()
    except psycopg.OperationalError as error:
        return "too many clients" in str(error) or "remaining connection slots" in str(error)
    return True


database_probe: Final = DatabaseProbe()


def remember_disk_full(error: BaseException) -> None:
    """Remember a full disk; ignore other errors."""
    if is_disk_full(error):
        process_state.met = clock.now()


def record_incident() -> None:
    """Record that the disk was full, if this process met it and nobody has recorded it within a minute.

    Raises Django's `Error` while nothing can be written; then it is recorded later.
    """
    met = process_state.met
    if met is None or (process_state.recorded_at and process_state.recorded_at >= met):
        return
    if not Incident.objects.filter(cause=Incident.Cause.DISK_FULL, at__gt=met - INCIDENT_INTERVAL).exists():
        sentences = plain([database_disk_full(met.isoformat())])
        with transaction.atomic():
            Incident.objects.create(at=met, cause=Incident.Cause.DISK_FULL, sentences=sentences)
    process_state.recorded_at = met


def last_full_at(recorded_at: datetime | None, now: datetime) -> datetime | None:
    """Return when this process or the last incident `recorded_at` met a full disk, if that is not long ago."""
    last = max((at for at in (recorded_at, process_state.met) if at), default=None)
    return last if last and last > now - SHOWN_FOR else None
