"""The outbox of emails. A row whose worker died may have been sent, so it is unsure and is not sent by itself again."""

from __future__ import annotations

import logging
import re
from abc import abstractmethod
from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPResponseException
from typing import Any, Final, NamedTuple

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import models

from games.common.outbox import Outbox, OutboxRow, SendState
from games.play.faults import storable_text

SEND_BATCH_SIZE: Final = 100
MAX_SEND_TRIES: Final = 6

logger = logging.getLogger(__name__)


class MailRow(OutboxRow):
    """A row whose email is sent by a `MailOutbox`."""

    send_error = models.CharField(max_length=200, blank=True, help_text="The mail server's answer, if it refused.")

    class Meta:
        abstract = True


class SendResult(NamedTuple):
    """The result of an attempt. It is due if the email waits for the mail server; `error` is the server's refusal."""

    state: SendState
    error: str = ""


class MailOutbox(Outbox):
    """The emails of a model. A subclass says how a row is delivered."""

    pauses = tuple(timedelta(minutes=2) * 2**number for number in range(1, MAX_SEND_TRIES))

    @abstractmethod
    def deliver(self, row: Any) -> SendResult:
        """Send the email of a claimed row if it is still wanted, and return the result."""

    def send_due(self) -> int:
        """Send a batch of due emails; return how many were sent."""
        self.release_lost_claims()
        return sum(self.send(pk) for pk in list(self.due().values_list("pk", flat=True)[:SEND_BATCH_SIZE]))

    def send(self, pk: int) -> bool:
        """Send the email of one row unless another worker does or it is no longer wanted; return whether it was
        sent."""
        row = self.claim(pk)
        if row is None:
            return False
        if (until := self.held_until(row)) is not None:
            self.postpone(row, until)
            return False
        became, error = self.deliver(row)
        self.record(row, became, send_error=error)
        return became == SendState.SENT


def deliver(mail: EmailMessage, what: str) -> SendResult:
    """Give an email to the mail server, and return the result."""
    connection: BaseEmailBackend = get_connection()
    try:
        connection.open()
    except OSError as error:  # smtplib's exceptions are of this kind
        logger.warning("The mail server could not be reached; %s will be sent later.", what, exc_info=True)
        return _delivery_failed(error)
    try:
        mail.connection = connection
        mail.send()
    except (SMTPResponseException, SMTPRecipientsRefused) as error:
        logger.warning("The mail server refused %s.", what, exc_info=True)
        return _delivery_failed(error)
    except OSError as error:
        logger.warning("It is not known whether the mail server accepted %s.", what, exc_info=True)
        return SendResult(SendState.UNSURE, smtp_reply_of(error))
    finally:
        connection.close()
    return SendResult(SendState.SENT)


def _delivery_failed(error: OSError) -> SendResult:
    """Return the result of a failure: another try, unless the refusal is permanent (codes 5yz; RFC 5321, 4.2.1)."""
    for_good = any(500 <= code < 600 for code in _codes(error))
    return SendResult(SendState.FAILED if for_good else SendState.DUE, smtp_reply_of(error))


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
