"""E-mail about notices: claimed before it is handed over, so that none goes out twice, and unsure where a worker died
in between.

Text only, with the times of the person's own zone, a link, and a way to get no more of the kind that needs no log-in.
"""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPResponseException
from typing import Final, NamedTuple

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from games.accounts import notices
from games.accounts.models import Notice
from games.accounts.subjects import CLOCK_LOW, SUBJECTS, YOUR_TURN
from games.accounts.zones import chosen_zone, zone_info
from games.common import clock
from games.common.errors import DomainError
from games.play.faults import storable_text

UNSUBSCRIBE_SALT: Final = "games.accounts.mail"
SEND_BATCH_SIZE: Final = 100
MAX_SEND_TRIES: Final = 5
RETRY_DELAY: Final = timedelta(minutes=2)  # doubled with every try that could not reach the mail server
UNSENT_MAIL_SHOWN_FOR: Final = timedelta(days=7)  # so long an e-mail that was not sent is shown to admins
CLAIM_TIMEOUT: Final = timedelta(minutes=10)  # a claim older than that was made by a worker that has gone

logger = logging.getLogger(__name__)


def send_due() -> int:
    """Send the e-mails that are due, each claimed first; how many went out. A few at a time, for others to join in."""
    mark_unsure()
    due = Notice.objects.filter(mail=Notice.Mail.DUE, mail_at__lte=clock.now()).order_by("mail_at")
    return sum(send_notice_mail(pk) for pk in due.values_list("pk", flat=True)[:SEND_BATCH_SIZE])


def mark_unsure() -> int:
    """What was claimed and never came back may or may not have been sent: say so, and never send it again."""
    lost = Notice.objects.filter(mail=Notice.Mail.SENDING, mail_at__lt=clock.now() - CLAIM_TIMEOUT)
    return lost.update(mail=Notice.Mail.UNSURE)


def send_notice_mail(pk: int) -> bool:
    """Send the e-mail of one notice, unless somebody else does or it is not wanted any more; whether it went out."""
    claimed = Notice.objects.filter(pk=pk, mail=Notice.Mail.DUE, mail_at__lte=clock.now())
    if not claimed.update(mail=Notice.Mail.SENDING, mail_at=clock.now()):
        return False
    notice = Notice.objects.select_related("user", "game", "by").filter(pk=pk).first()
    if notice is None:  # taken back since, with the turn that it was about
        return False
    became, error = deliver_notice(notice)
    again = became == Notice.Mail.DUE
    Notice.objects.filter(pk=pk).update(
        mail=became,
        mail_error=error,
        tries=notice.tries + again,
        mail_at=clock.now() + (RETRY_DELAY * 2 ** (notice.tries + 1) if again else timedelta()),
    )
    return became == Notice.Mail.SENT


class DeliveryResult(NamedTuple):
    """What came of an e-mail, as `Notice.Mail`: due for one that waits for the mail server. `error` is what the
    server answered, if it was no."""

    mail: str
    error: str = ""


def deliver_notice(notice: Notice) -> DeliveryResult:
    """Give the e-mail to the mail server, and say what came of it."""
    address = recipient_address(notice)
    if address is None or is_stale(notice):
        return DeliveryResult(Notice.Mail.NONE)
    return deliver(build_email(notice, address), f"notice {notice.pk}", notice.tries)


def deliver(mail: EmailMessage, what: str, tries: int) -> DeliveryResult:
    """Give an e-mail to the mail server, and say what came of it."""
    connection: BaseEmailBackend = get_connection()
    try:
        connection.open()
    except OSError as error:  # smtplib's exceptions are of this kind
        logger.warning("The mail server could not be reached; %s waits.", what, exc_info=True)
        return _delivery_failed(error, tries)
    try:
        mail.connection = connection
        mail.send()
    except (SMTPResponseException, SMTPRecipientsRefused) as error:
        logger.warning("The mail server refused %s.", what, exc_info=True)
        return _delivery_failed(error, tries)
    except OSError as error:
        logger.warning("The mail server may not have taken %s.", what, exc_info=True)
        return DeliveryResult(Notice.Mail.UNSURE, smtp_reply_of(error))
    finally:
        connection.close()
    return DeliveryResult(Notice.Mail.SENT)


def _delivery_failed(error: OSError, tries: int) -> DeliveryResult:
    """It waits for another try, unless there were enough or the server's no is for good (RFC 5321, 4.2.1: 5yz)."""
    for_good = any(500 <= code < 600 for code in _codes(error))
    return DeliveryResult(
        Notice.Mail.FAILED if for_good or tries >= MAX_SEND_TRIES else Notice.Mail.DUE, smtp_reply_of(error)
    )


def _codes(error: OSError) -> list[int]:
    if isinstance(error, SMTPRecipientsRefused):
        return [code for code, _text in error.recipients.values()]
    return [error.smtp_code] if isinstance(error, SMTPResponseException) else []


def smtp_reply_of(error: OSError) -> str:
    """What a mail server answered, in a line without addresses: 451 try later."""
    match error:
        case SMTPRecipientsRefused():
            code, text = next(iter(error.recipients.values()))
            said = f"{code} {text.decode('utf-8', 'replace')}"
        case SMTPResponseException(smtp_code=code, smtp_error=text):
            said = f"{code} {text.decode('utf-8', 'replace') if isinstance(text, bytes) else text}"
        case _:
            said = error.strerror or str(error) or type(error).__name__
    said = re.sub(r"\S+@\S+", "…", storable_text(said))
    return " ".join(said.split())[:200]


def waiting_for_retry() -> QuerySet[Notice]:
    """The e-mails that the mail server did not take at the first try, and which are to be tried again."""
    return Notice.objects.filter(mail=Notice.Mail.DUE, tries__gt=0)


def unsure_or_given_up() -> QuerySet[Notice]:
    """Those that may not have been sent, or were given up, within days."""
    lately = Q(mail_at__gt=clock.now() - UNSENT_MAIL_SHOWN_FOR)
    return Notice.objects.filter(lately, mail__in=(Notice.Mail.UNSURE, Notice.Mail.FAILED))


def retry_all_now() -> int:
    """Try all those at once that wait for the mail server or were given up lately; how many."""
    again = Notice.objects.filter(
        Q(pk__in=waiting_for_retry().values("pk"))
        | Q(pk__in=unsure_or_given_up().filter(mail=Notice.Mail.FAILED).values("pk"))
    )
    return _again(again)


def resend_notice(notice: Notice) -> None:
    """Send an e-mail that may not have been sent, waits or was given up, at once; perhaps a second time.

    Raises `DomainError` not_unsent (409).
    """
    unsent = (Notice.Mail.DUE, Notice.Mail.UNSURE, Notice.Mail.FAILED)
    if not _again(Notice.objects.filter(pk=notice.pk, mail__in=unsent)):
        sentence = _("This e-mail was sent, is being sent, or was never to be.")
        raise DomainError(409, "not_unsent", sentence)


def _again(found: QuerySet[Notice]) -> int:
    count = found.update(mail=Notice.Mail.DUE, mail_at=clock.now(), tries=0)
    if count:
        transaction.on_commit(notices.send_mails, robust=True)
    return count


def recipient_address(notice: Notice) -> str | None:
    """Where to send it: the confirmed main address, if the person still wants it."""
    if not notices.wants_mail_by_user([notice.user_id], notice.subject).get(notice.user_id):
        return None
    found = EmailAddress.objects.filter(user=notice.user_id, primary=True, verified=True).first()
    return str(found.email) if found else None


def is_stale(notice: Notice) -> bool:
    """Whether the person knows by now, or the turn or the moment that it is about is over."""
    if notice.about_at is not None and notice.about_at <= clock.now():
        return True
    if notice.subject in (YOUR_TURN, CLOCK_LOW) and notice.game_id is not None:
        notices.withdraw_turn_notices([notice.game_id])
    return not Notice.objects.filter(pk=notice.pk, seen_at=None).exists()


def build_email(notice: Notice, address: str) -> EmailMessage:
    """The e-mail itself."""
    zone = chosen_zone(notice.user)
    stop = settings.SCOREBOOK_BASE_URL + reverse(
        "notices-stop", args=[unsubscribe_token(notice.user_id, notice.subject)]
    )
    with timezone.override(zone_info(zone)), translation.override(settings.LANGUAGE_CODE):
        line = notices.notice_row(notice)
        context = {
            "line": line,
            "zone": zone_info(zone).key,
            "deadline": deadline_of(notice),
            "link": settings.SCOREBOOK_BASE_URL + line.address,
            "stop": stop,
            "title": SUBJECTS[notice.subject].title,
        }
        return EmailMessage(
            subject=" ".join(line.words.split()).rstrip("."),  # a name may have a new line in it
            body=render_to_string("accounts/notice.txt", context),
            to=[address],
            headers={
                "List-Unsubscribe": f"<{stop}>",
                "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
                "Auto-Submitted": "auto-generated",
            },
        )


def deadline_of(notice: Notice) -> object:
    """Until when the person's move is waited for, None where nothing presses."""
    if notice.subject not in (YOUR_TURN, CLOCK_LOW) or notice.game is None:
        return None
    return notice.game.deadline


# no more of it


def unsubscribe_token(user_id: int, subject: str) -> str:
    """What stands in an e-mail's link to get no more of its kind; it says who and what, signed, and does not expire."""
    return signing.dumps([user_id, subject], salt=UNSUBSCRIBE_SALT)


def read_unsubscribe_token(token: str) -> tuple[int, str] | None:
    """The user and the subject of a token; None for one that we did not sign, or of a user who has gone."""
    try:
        user_id, subject = signing.loads(token, salt=UNSUBSCRIBE_SALT)
    except signing.BadSignature:
        return None
    known = get_user_model().objects.filter(Q(pk=user_id), is_active=True).exists()
    return (user_id, subject) if known and subject in SUBJECTS else None
