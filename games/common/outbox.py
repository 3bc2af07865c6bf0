"""The outbox: rows that wait to be sent to somebody outside the platform, such as emails and messages to webhooks.

A row is due at a time. A worker claims it by compare-and-set, sends it, and records the result, unless somebody else
has claimed it since. An attempt that failed is repeated after a growing pause, and in the end given up. When a worker
dies with a claim, nobody knows whether the row was sent: a channel says whether such a row is unsure and waits for an
admin, or is sent again. What differs between channels is in the subclasses of `Outbox`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final

from django.db import models
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from games.common import clock
from games.common.after_commit import after_commit
from games.common.errors import DomainError

UNSENT_SHOWN_FOR: Final = timedelta(days=7)  # how long a row that was not sent is shown to admins


class SendState(models.TextChoices):
    """The state of a row of an outbox; none if it is not to be sent."""

    NONE = "none"
    DUE = "due", "Waiting"
    SENDING = "sending"
    SENT = "sent"
    UNSURE = "unsure", "Uncertain"
    FAILED = "failed"


class OutboxRow(models.Model):
    """The columns of a row that is sent by an `Outbox`."""

    send_state = models.CharField(max_length=10, choices=SendState, default=SendState.NONE)
    send_at = models.DateTimeField(null=True, blank=True, help_text="When it is due, was claimed, or was sent.")
    tries = models.PositiveSmallIntegerField(default=0, help_text="Attempts since it was requested.")

    class Meta:
        abstract = True


class Outbox(ABC):
    """The rows of a model that are sent over one channel.

    - `related`: the rows of other tables that sending needs.
    - `pauses`: after each failed attempt; a channel says whether the last one is repeated (`is_given_up`).
    - `claim_timeout`: an older claim belongs to a worker that is gone; the row then is `after_lost_claim`.
    - `resendable`: the states in which somebody may ask for it to be sent again.
    """

    model: ClassVar[type[OutboxRow]]
    related: ClassVar[tuple[str, ...]] = ()
    pauses: ClassVar[tuple[timedelta, ...]]
    claim_timeout: ClassVar[timedelta] = timedelta(minutes=10)
    after_lost_claim: ClassVar[SendState] = SendState.UNSURE
    resendable: ClassVar[tuple[SendState, ...]] = (SendState.DUE, SendState.UNSURE, SendState.FAILED)

    @abstractmethod
    def send_due(self) -> int:
        """Send rows that are due; return how many were sent."""

    @abstractmethod
    def call_workers(self) -> None:
        """Tell the workers that something is due. They find it by a query."""

    def is_given_up(self, row: Any, tries: int) -> bool:  # noqa: ARG002
        """Return whether `row` is not tried again after so many attempts."""
        return tries > len(self.pauses)

    def worth_showing(self) -> Q:
        """Return a filter for the unsent rows that still matter to an admin."""
        return Q()

    def rows(self, *states: str) -> QuerySet[Any]:
        """Return the rows in one of `states`, or all."""
        return self.model._default_manager.filter(Q(send_state__in=states) if states else Q())

    def due(self) -> QuerySet[Any]:
        """Return the rows that are due, those that wait longest first."""
        return self.rows(SendState.DUE).filter(send_at__lte=clock.now()).order_by("send_at", "pk")

    def release_lost_claims(self) -> int:
        """End the claims of workers that are gone; return how many."""
        lost = self.rows(SendState.SENDING).filter(send_at__lt=clock.now() - self.claim_timeout)
        return lost.update(send_state=self.after_lost_claim)

    def claim(self, pk: int) -> Any | None:
        """Return the row if it is due and was claimed by this call, else None."""
        now = clock.now()
        if not self.due().filter(pk=pk).order_by().update(send_state=SendState.SENDING, send_at=now):
            return None
        return self.rows().select_related(*self.related).filter(pk=pk, send_at=now).first()  # unless it was deleted

    def claimed(self, row: Any) -> QuerySet[Any]:
        """Return `row` if nobody has claimed it or asked to send it again since; else nothing."""
        return self.rows().filter(pk=row.pk, send_at=row.send_at)

    def record(self, row: Any, became: str, wished: timedelta | None = None, **columns: Any) -> bool:
        """Store the result of an attempt to send a claimed row; return whether the claim was still there.

        DUE means that it was not sent: it is tried again after a pause, the `wished` one of the receiver or the
        channel's own, or given up.
        """
        tries, pause = row.tries + 1, timedelta()
        if became == SendState.DUE:
            became = SendState.FAILED if self.is_given_up(row, tries) else SendState.DUE
            pause = wished or self.pause_after(tries)
        columns |= {"send_state": became, "send_at": clock.now() + pause, "tries": tries}
        return bool(self.claimed(row).update(**columns))

    def held_until(self, row: Any) -> datetime | None:  # noqa: ARG002
        """Return until when a claimed row must not be sent yet; None if it may be sent now."""
        return None

    def postpone(self, row: Any, until: datetime) -> None:
        """Let a claimed row wait until this time. It is no attempt."""
        self.claimed(row).update(send_state=SendState.DUE, send_at=until)

    def pause_after(self, tries: int) -> timedelta:
        """Return the pause after so many failed attempts."""
        return self.pauses[min(tries, len(self.pauses)) - 1] if tries else timedelta()

    def waiting_for_retry(self) -> QuerySet[Any]:
        """Return the rows that could not be sent at the first attempt and will be tried again."""
        return self.rows(SendState.DUE).filter(tries__gt=0)

    def unsure_or_given_up(self) -> QuerySet[Any]:
        """Return the rows that were given up or may not have been sent, within the last days."""
        lately = Q(send_at__gt=clock.now() - UNSENT_SHOWN_FOR)
        return self.rows(SendState.UNSURE, SendState.FAILED).filter(lately, self.worth_showing())

    def retry_all_now(self) -> int:
        """Send at once all rows that wait for another attempt or were given up lately; return how many."""
        given_up = self.unsure_or_given_up().filter(send_state=SendState.FAILED)
        again = Q(pk__in=self.waiting_for_retry().values("pk")) | Q(pk__in=given_up.values("pk"))
        return self.make_due(self.rows().filter(again), tries=0)

    def resend(self, row: Any) -> None:
        """Send a row again at once, in one of the states `resendable`. It may arrive twice.

        Raises `DomainError` not_unsent (409).
        """
        if not self.make_due(self.rows(*self.resendable).filter(pk=row.pk), tries=0):
            sentence = _("This was already sent, is being sent now, or did not have to be sent.")
            raise DomainError(409, "not_unsent", sentence)

    def make_due(self, found: QuerySet[Any], **columns: Any) -> int:
        """Make these rows due now, and tell the workers after the commit; return how many."""
        count = found.update(send_state=SendState.DUE, send_at=clock.now(), **columns)
        if count:
            after_commit(self.call_workers)
        return count
