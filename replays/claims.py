"""How workers share rows that wait: each claims some for a time, and stores a result only while its claim holds.

A claim raises the `attempts` of a row. If a worker is killed, its claim ends after the lease, and another worker
begins. A row that fails is tried again after growing pauses. One that was tried too often is given up, and an incident
tells the admins.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final, TypeVar

from django.db import DatabaseError, models, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from games.common import clock
from games.common.models import Incident
from scorebook_games.presentation.coded_text import Sentence, plain
from scorebook_games.step_limit import NeverEnds

logger = logging.getLogger(__name__)


class ClaimedRow(models.Model):
    """A row that waits for a worker, or has what one has made."""

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waiting")
        COMPUTING = "computing", gettext_lazy("being computed")
        DONE = "done", gettext_lazy("computed")
        NONE = "none", gettext_lazy("none")
        FAILED = "failed", gettext_lazy("failed")

    game: models.ForeignKey[Any, Any]  # a puzzle has none before it is chosen
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    due_at = models.DateTimeField(help_text="No worker takes it before this time.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="How often workers have begun it.")

    class Meta:
        abstract = True

    @property
    def failure(self) -> Sentence:
        """What admins are told when all attempts have failed."""
        raise NotImplementedError


Row = TypeVar("Row", bound=ClaimedRow)
State = ClaimedRow.State

PENDING: Final = (State.WAITING, State.COMPUTING)
MAX_ATTEMPTS: Final = 5


def due(model: type[Row]) -> QuerySet[Row]:
    """Return the rows that a worker may claim now."""
    return model._default_manager.filter(state__in=PENDING, due_at__lte=Now())


def claim(rows: QuerySet[Row], limit: int, lease: timedelta) -> list[Row]:
    """Claim the first of some due `rows`.

    A row that was tried before is claimed alone, so that a game that kills its workers harms no others. One that was
    tried too often is given up.
    """
    with transaction.atomic():
        found = list(rows.select_for_update(skip_locked=True, of=("self",)).select_related("game")[:limit])
        for row in found:
            if row.attempts >= MAX_ATTEMPTS:
                _give_up(row, "The worker was lost each time.", {})
        found = [row for row in found if row.attempts < MAX_ATTEMPTS]
        found = [row for row in found if not row.attempts] or found[:1]
        begun = rows.model._default_manager.filter(pk__in=[row.pk for row in found])
        begun.update(state=State.COMPUTING, attempts=F("attempts") + 1, due_at=Now() + lease)
    for row in found:
        row.attempts += 1
    return found


def held(row: Row) -> QuerySet[Row]:
    """Return the claimed row, as long as its claim holds."""
    return type(row)._default_manager.filter(pk=row.pk, state=State.COMPUTING, attempts=row.attempts)


@contextmanager
def attempt(row: ClaimedRow, **reset: Any) -> Iterator[None]:
    """Work on a claimed row: an error within the block ends the attempt, sets the fields in `reset`, and is logged.

    Errors of the database are raised, because they say nothing about the row.
    """
    try:
        yield
    except DatabaseError:
        raise
    except (Exception, NeverEnds):  # a damaged log, or the rules and values of a kind, may raise anything
        logger.exception("An attempt to compute the %s failed.", row)
        _fail(row, traceback.format_exc(), reset)


def _fail(row: ClaimedRow, detail: str, reset: dict[str, Any]) -> None:
    """Release a claimed row at which its worker failed, for another attempt after a pause, or give it up."""
    if row.attempts >= MAX_ATTEMPTS:
        _give_up(row, detail, reset)
    else:
        held(row).update(state=State.WAITING, due_at=Now() + timedelta(seconds=10 * 2**row.attempts), **reset)


def _give_up(row: ClaimedRow, detail: str, reset: dict[str, Any]) -> None:
    mine = type(row)._default_manager.filter(pk=row.pk, state__in=PENDING, attempts=row.attempts)
    if mine.update(state=State.FAILED, **reset):
        sentences, cause = plain([row.failure]), Incident.Cause.INFRASTRUCTURE
        Incident.objects.create(at=clock.now(), cause=cause, game=row.game, sentences=sentences, detail=detail)
