"""An outbox of emails.

A row is claimed before its email is sent, so none is sent twice; it is unsure if a worker dies.
"""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPResponseException
from typing import Any, ClassVar, Final, NamedTuple

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import models
from django.db.models import Q, QuerySet

from games.common import clock
from games.common.after_commit import after_commit
from games.play.faults import storable_text

SEND_BATCH_SIZE: Final = 100
MAX_SEND_TRIES: Final = 5
RETRY_DELAY: Final = timedelta(minutes=2)  # doubled with every try that could not reach the mail server
UNSENT_MAIL_SHOWN_FOR: Final = timedelta(days=7)  # how long an unsent email is shown to admins
CLAIM_TIMEOUT: Final = timedelta(minutes=10)  # an older claim belongs to a worker that is gone

logger = logging.getLogger(__name__)


class MailState(models.TextChoices):
    """The state of an email; empty if there is to be none."""

    NONE = "none"
    DUE = "due", "Waiting"
    SENDING = "sending"
    SENT = "sent"
    UNSURE = "unsure", "Uncertain"
    FAILED = "failed"


class DeliveryResult(NamedTuple):
    """The result of a delivery, as a `MailState`.

    It is due for an email that waits for the mail server. `error` is the server's refusal, if it was one.
    """

    mail: str
    error: str = ""


class MailOutbox(ABC):
    """The emails of a model with the columns `mail` (a `MailState`), `mail_at`, `tries` and `mail_error`.

    A subclass names the model and the `related` rows that an email needs, and says how a row is delivered.
    """

    model: ClassVar[type[models.Model]]
    related: ClassVar[tuple[str, ...]]

    @abstractmethod
    def deliver(self, row: Any) -> DeliveryResult:
        """Send the email of a claimed row if it is still wanted, and return the result."""

    @abstractmethod
    def call_workers(self) -> None:
        """Tell the workers that email is due. They find it by a query."""

    def worth_showing(self) -> Q:
        """Return a filter for the unsent emails that still matter."""
        return Q()

    def send_due(self) -> int:
        """Send a batch of due emails; return how many were sent.

        An email that was claimed long ago may or may not have been sent: it becomes unsure.
        """
        self._rows(MailState.SENDING).filter(mail_at__lt=clock.now() - CLAIM_TIMEOUT).update(mail=MailState.UNSURE)
        due = self._rows(MailState.DUE).filter(mail_at__lte=clock.now()).order_by("mail_at")
        return sum(self.send(pk) for pk in due.values_list("pk", flat=True)[:SEND_BATCH_SIZE])

    def send(self, pk: int) -> bool:
        """Send the email of one row unless another worker does or it is no longer wanted; return whether it was
        sent."""
        claimed_at = clock.now()
        due = self._rows(MailState.DUE).filter(pk=pk, mail_at__lte=claimed_at)
        if not due.update(mail=MailState.SENDING, mail_at=claimed_at):
            return False
        row: Any = self._rows().select_related(*self.related).filter(pk=pk, mail_at=claimed_at).first()
        if row is None:  # deleted since, or claimed again because this took too long
            return False
        became, error = self.deliver(row)
        again = became == MailState.DUE
        pause = RETRY_DELAY * 2 ** (row.tries + 1) if again else timedelta()
        self.claimed(row).update(mail=became, mail_error=error, tries=row.tries + again, mail_at=clock.now() + pause)
        return became == MailState.SENT

    def claimed(self, row: Any) -> QuerySet[Any]:
        """Return `row` if no other worker has claimed it since and nobody has asked to send it again; else None."""
        return self._rows().filter(pk=row.pk, mail_at=row.mail_at)

    def waiting_for_retry(self) -> QuerySet[Any]:
        """Return the emails that the mail server did not take at the first try and that will be tried again."""
        return self._rows(MailState.DUE).filter(tries__gt=0)

    def unsure_or_given_up(self) -> QuerySet[Any]:
        """Return the emails that were given up or may not have been sent, within the last days."""
        lately = Q(mail_at__gt=clock.now() - UNSENT_MAIL_SHOWN_FOR)
        return self._rows(MailState.UNSURE, MailState.FAILED).filter(lately, self.worth_showing())

    def retry_all_now(self) -> int:
        """Retry at once all emails that wait for the mail server or were given up lately; return how many."""
        given_up = self.unsure_or_given_up().filter(mail=MailState.FAILED)
        again = Q(pk__in=self.waiting_for_retry().values("pk")) | Q(pk__in=given_up.values("pk"))
        return self._requeue(self._rows().filter(again))

    def send_again(self, pk: int) -> bool:
        """Send an email at once that is unsure, waits or was given up; it may be sent a second time.

        Returns False if it is none of these.
        """
        return bool(self._requeue(self._rows(MailState.DUE, MailState.UNSURE, MailState.FAILED).filter(pk=pk)))

    def _rows(self, *states: str) -> QuerySet[Any]:
        return self.model._default_manager.filter(Q(mail__in=states) if states else Q())

    def _requeue(self, found: QuerySet[Any]) -> int:
        count = found.update(mail=MailState.DUE, mail_at=clock.now(), tries=0)
        if count:
            after_commit(self.call_workers)
        return count


def deliver(mail: EmailMessage, what: str, tries: int) -> DeliveryResult:
    """Give an email to the mail server, and return the result."""
    connection: BaseEmailBackend = get_connection()
    try:
        connection.open()
    except OSError as error:  # smtplib's exceptions are of this kind
        logger.warning("The mail server could not be reached; %s will be sent later.", what, exc_info=True)
        return _delivery_failed(error, tries)
    try:
        mail.connection = connection
        mail.send()
    except (SMTPResponseException, SMTPRecipientsRefused) as error:
        logger.warning("The mail server refused %s.", what, exc_info=True)
        return _delivery_failed(error, tries)
    except OSError as error:
        logger.warning("It is not known whether the mail server accepted %s.", what, exc_info=True)
        return DeliveryResult(MailState.UNSURE, smtp_reply_of(error))
    finally:
        connection.close()
    return DeliveryResult(MailState.SENT)


def _delivery_failed(error: OSError, tries: int) -> DeliveryResult:
    """Return the result of a failure: wait for another try, unless there were enough or the refusal is permanent.

    Codes 5yz are permanent (RFC 5321, 4.2.1).
    """
    for_good = any(500 <= code < 600 for code in _codes(error))
    return DeliveryResult(
        MailState.FAILED if for_good or tries >= MAX_SEND_TRIES else MailState.DUE, smtp_reply_of(error)
    )


def _codes(error: OSError) -> list[int]:
    if isinstance(error, SMTPRecipientsRefused):
        return [code for code, _text in error.recipients.values()]
    return [error.smtp_code] if isinstance(error, SMTPResponseException) else []


def smtp_reply_of(error: OSError) -> str:
    """Return a mail server's reply on one line and without addresses, such as "451 try later"."""
    match error:
        case SMTPRecipientsRefused():
            code, text = next(iter(error.recipients.values()))
            reply = f"{code} {text.decode('utf-8', 'replace')}"
        case SMTPResponseException(smtp_code=code, smtp_error=text):
            reply = f"{code} {text.decode('utf-8', 'replace') if isinstance(text, bytes) else text}"
        case _:
            reply = error.strerror or str(error) or type(error).__name__
    reply = re.sub(r"\S+@\S+", "…", storable_text(reply))
    return " ".join(reply.split())[:200]
