"""A full disk of the database: what is written is refused, and nothing is half written.

PostgreSQL says so by its SQLSTATE 53100 (appendix A of its manual). It is remembered by the process that met it, and
told in an incident as soon as one can be written, so that the dashboard of every process shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import Error, transaction
from django.utils.translation import gettext as _
from psycopg.errors import DiskFull

from games import clock
from games.errors import TableError, away
from games.models import Incident

DISK_FULL: Final = "disk_full"
FULL_SECONDS: Final = 60  # after which it is worth another try
LATELY: Final = timedelta(minutes=5)  # for so long after the last refusal a full disk is shown
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
    """What is said (503) to whoever asked for what met `error`, one of `games.errors.AWAY`. A full disk is noted."""
    if not is_full(error):
        return away()
    note(error)
    sentence = _(
        "The disk of the database is full: nothing can be written now, and nothing was half written. "
        "What is there can be read. Try again in some minutes; admins see it on their dashboard."
    )
    return TableError(503, DISK_FULL, sentence, wait_s=FULL_SECONDS)


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
