"""A full disk of the database: what is written is refused, and nothing is half written.

PostgreSQL says so by its SQLSTATE 53100 (appendix A of its manual). It is remembered by the process that met it, and
told in an incident as soon as one can be written, so that the dashboard of every process shows it.
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
from games.common.models import Incident

DISK_FULL: Final = "disk_full"
RETRY_AFTER_SECONDS: Final = 60  # after which it is worth another try
SHOWN_FOR: Final = timedelta(minutes=5)  # for so long after the last refusal a full disk is shown
PROBE_INTERVAL_SECONDS: Final = 2.0  # seconds
CONNECTION_FIELDS: Final = ("host", "port", "dbname", "user", "password")
INCIDENT_INTERVAL: Final = timedelta(minutes=1)  # incident is enough


@dataclass
class DiskFullState:
    """When this process met a full disk last, and up to when it has told so."""

    met: datetime | None = None
    told: datetime | None = None


process_state: Final = DiskFullState()


def is_disk_full(error: BaseException) -> bool:
    """Whether that is what an error of Django's says."""
    return isinstance(error, Error) and isinstance(error.__cause__, DiskFull)


def unavailable_error(error: BaseException) -> DomainError:
    """What is said (503) to whoever asked for what met `error`, one of `games.common.errors.DATABASE_AWAY_ERRORS`. A
    full disk is noted."""
    if not is_disk_full(error):
        return busy_error() if is_pool_empty(error) and database_probe.works() else database_away_error()
    remember_disk_full(error)
    sentence = _(
        "The database’s disk is full, so nothing can be saved at the moment. Your change was not saved; "
        "everything can still be read. Try again in a few minutes. The admins see this on their dashboard."
    )
    return DomainError(503, DISK_FULL, sentence, wait_s=RETRY_AFTER_SECONDS)


def is_pool_empty(error: BaseException) -> bool:
    """Whether no connection became free in time (`config.env.database_url.pooled`)."""
    return isinstance(error, Error) and isinstance(error.__cause__, PoolTimeout)


@dataclass
class DatabaseProbe:
    """Whether a connection of its own reaches the database: asked once in `PROBE_INTERVAL_SECONDS`, for all who meet
    the same."""

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
    """Whether the database answers somebody who comes from outside of the pool; one that has no place left does."""
    facts = {name: value for name, value in connection.get_connection_params().items() if name in CONNECTION_FIELDS}
    try:
        psycopg.connect(**facts, connect_timeout=2).close()
    except psycopg.OperationalError as error:
        return "too many clients" in str(error) or "remaining connection slots" in str(error)
    return True


database_probe: Final = DatabaseProbe()


def remember_disk_full(error: BaseException) -> None:
    """Remember a full disk; other errors are nothing here."""
    if is_disk_full(error):
        process_state.met = clock.now()


def record_incident() -> None:
    """Write down that the disk was full, if this process met it and nobody has written so within a minute.

    Raises Django's `Error` while nothing can be written; then it is told later.
    """
    met = process_state.met
    if met is None or (process_state.told and process_state.told >= met):
        return
    if not Incident.objects.filter(cause=Incident.Cause.DISK_FULL, at__gt=met - INCIDENT_INTERVAL).exists():
        words = _("The database’s disk was full at {time} UTC and refused a write. No partial data was stored.")
        words = words.format(time=f"{met:%H:%M:%S}")
        with transaction.atomic():
            Incident.objects.create(at=met, cause=Incident.Cause.DISK_FULL, sentence=words)
    process_state.told = met


def last_full_at(told: datetime | None, now: datetime) -> datetime | None:
    """When the disk was last met full, if that is not long ago: by this process, or as the last incident `told`."""
    last = max((at for at in (told, process_state.met) if at), default=None)
    return last if last and last > now - SHOWN_FOR else None
