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
from games.common.errors import TableError, away, busy
from games.models import Incident

DISK_FULL: Final = "disk_full"
FULL_SECONDS: Final = 60  # after which it is worth another try
LATELY: Final = timedelta(minutes=5)  # for so long after the last refusal a full disk is shown
ASKED_EVERY: Final = 2.0  # seconds
FACTS: Final = ("host", "port", "dbname", "user", "password")
ONE_A: Final = timedelta(minutes=1)  # incident is enough


@dataclass
class Memory:
    """When this process met a full disk last, and up to when it has told so."""

    met: datetime | None = None
    told: datetime | None = None


here: Final = Memory()


def is_full(error: BaseException) -> bool:
    """Whether that is what an error of Django's says."""
    return isinstance(error, Error) and isinstance(error.__cause__, DiskFull)


def refusal(error: BaseException) -> TableError:
    """What is said (503) to whoever asked for what met `error`, one of `games.common.errors.AWAY`. A full disk is
    noted."""
    if not is_full(error):
        return busy() if is_pool_empty(error) and reach.works() else away()
    note(error)
    sentence = _(
        "The disk of the database is full: nothing can be written now, and nothing was half written. "
        "What is there can be read. Try again in some minutes; admins see it on their dashboard."
    )
    return TableError(503, DISK_FULL, sentence, wait_s=FULL_SECONDS)


def is_pool_empty(error: BaseException) -> bool:
    """Whether no connection became free in time (`config.env.database_url.pooled`)."""
    return isinstance(error, Error) and isinstance(error.__cause__, PoolTimeout)


@dataclass
class Reach:
    """Whether a connection of its own reaches the database: asked once in `ASKED_EVERY`, for all who meet the same."""

    asked: float = -math.inf
    worked: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def works(self) -> bool:
        with self.lock:
            if time.monotonic() - self.asked > ASKED_EVERY:
                self.worked = reaches()
                self.asked = time.monotonic()
            return self.worked


def reaches() -> bool:
    """Whether the database answers somebody who comes from outside of the pool; one that has no place left does."""
    facts = {name: value for name, value in connection.get_connection_params().items() if name in FACTS}
    try:
        psycopg.connect(**facts, connect_timeout=2).close()
    except psycopg.OperationalError as error:
        return "too many clients" in str(error) or "remaining connection slots" in str(error)
    return True


reach: Final = Reach()


def note(error: BaseException) -> None:
    """Remember a full disk; other errors are nothing here."""
    if is_full(error):
        here.met = clock.now()


def tell() -> None:
    """Write down that the disk was full, if this process met it and nobody has written so within a minute.

    Raises Django's `Error` while nothing can be written; then it is told later.
    """
    met = here.met
    if met is None or (here.told and here.told >= met):
        return
    if not Incident.objects.filter(cause=Incident.Cause.DISK_FULL, at__gt=met - ONE_A).exists():
        words = _("The disk of the database was full at {time} UTC: it refused to write. Nothing was half written.")
        words = words.format(time=f"{met:%H:%M:%S}")
        with transaction.atomic():
            Incident.objects.create(at=met, cause=Incident.Cause.DISK_FULL, sentence=words)
    here.told = met


def full_at(told: datetime | None, now: datetime) -> datetime | None:
    """When the disk was last met full, if that is not long ago: by this process, or as the last incident `told`."""
    last = max((at for at in (told, here.met) if at), default=None)
    return last if last and last > now - LATELY else None
