"""E-mail about notices: claimed before it is handed over, so that none goes out twice, and unsure where a worker died
in between.

Text only, with the times of the person's own zone, a link, and a way to get no more of the kind that needs no log-in.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation

from games import clock
from games.accounts import notices
from games.accounts.models import Notice
from games.accounts.subjects import CLOCK_LOW, SUBJECTS, YOUR_TURN
from games.accounts.zones import chosen_zone, zone_info

SALT: Final = "games.accounts.mail"
AT_ONCE: Final = 100
TRIES: Final = 5
PAUSE: Final = timedelta(minutes=2)  # doubled with every try that could not reach the mail server
LOST: Final = timedelta(minutes=10)  # a claim older than that was made by a worker that has gone

logger = logging.getLogger(__name__)


def send_due() -> int:
    """Send the e-mails that are due, each claimed first; how many went out. A few at a time, for others to join in."""
    mark_unsure()
    due = Notice.objects.filter(mail=Notice.Mail.DUE, mail_at__lte=clock.now()).order_by("mail_at")
    return sum(send_one(pk) for pk in due.values_list("pk", flat=True)[:AT_ONCE])


def mark_unsure() -> int:
    """What was claimed and never came back may or may not have been sent: say so, and never send it again."""
    lost = Notice.objects.filter(mail=Notice.Mail.SENDING, mail_at__lt=clock.now() - LOST)
    return lost.update(mail=Notice.Mail.UNSURE)


def send_one(pk: int) -> bool:
    """Send the e-mail of one notice, unless somebody else does or it is not wanted any more; whether it went out."""
    claimed = Notice.objects.filter(pk=pk, mail=Notice.Mail.DUE, mail_at__lte=clock.now())
    if not claimed.update(mail=Notice.Mail.SENDING, mail_at=clock.now()):
        return False
    notice = Notice.objects.select_related("user", "game", "by").filter(pk=pk).first()
    if notice is None:  # taken back since, with the turn that it was about
        return False
    became = hand_over(notice)
    again = became == Notice.Mail.DUE
    Notice.objects.filter(pk=pk).update(
        mail=became,
        tries=notice.tries + again,
        mail_at=clock.now() + (PAUSE * 2 ** (notice.tries + 1) if again else timedelta()),
    )
    return became == Notice.Mail.SENT


def hand_over(notice: Notice) -> str:
    """Give the e-mail to the mail server, and say what came of it, as `Notice.Mail`."""
    address = address_of(notice)
    if address is None or is_stale(notice):
        return Notice.Mail.NONE
    return deliver(letter(notice, address), f"notice {notice.pk}", notice.tries)


def deliver(mail: EmailMessage, what: str, tries: int) -> str:
    """Give an e-mail to the mail server, and say what came of it, as `Notice.Mail`: due for one that waits for it."""
    connection: BaseEmailBackend = get_connection()
    try:
        connection.open()
    except OSError:  # smtplib's exceptions are of this kind
        logger.warning("The mail server could not be reached; %s waits.", what, exc_info=True)
        return Notice.Mail.DUE if tries < TRIES else Notice.Mail.FAILED
    try:
        mail.connection = connection
        mail.send()
    except OSError:
        logger.warning("The mail server may not have taken %s.", what, exc_info=True)
        return Notice.Mail.UNSURE
    finally:
        connection.close()
    return Notice.Mail.SENT


def address_of(notice: Notice) -> str | None:
    """Where to send it: the confirmed main address, if the person still wants it."""
    if not notices.mail_wishes([notice.user_id], notice.subject).get(notice.user_id):
        return None
    found = EmailAddress.objects.filter(user=notice.user_id, primary=True, verified=True).first()
    return str(found.email) if found else None


def is_stale(notice: Notice) -> bool:
    """Whether the person knows by now, or the turn or the moment that it is about is over."""
    if notice.about_at is not None and notice.about_at <= clock.now():
        return True
    if notice.subject in (YOUR_TURN, CLOCK_LOW) and notice.game_id is not None:
        notices.close_turns([notice.game_id])
    return not Notice.objects.filter(pk=notice.pk, seen_at=None).exists()


def letter(notice: Notice, address: str) -> EmailMessage:
    """The e-mail itself."""
    zone = chosen_zone(notice.user)
    stop = settings.SCOREBOOK_ADDRESS + reverse("notices-stop", args=[stop_token(notice.user_id, notice.subject)])
    with timezone.override(zone_info(zone)), translation.override(settings.LANGUAGE_CODE):
        line = notices.line(notice)
        context = {
            "line": line,
            "zone": zone_info(zone).key,
            "deadline": deadline_of(notice),
            "link": settings.SCOREBOOK_ADDRESS + line.address,
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


def stop_token(user_id: int, subject: str) -> str:
    """What stands in an e-mail's link to get no more of its kind; it says who and what, signed, and does not expire."""
    return signing.dumps([user_id, subject], salt=SALT)


def read_token(token: str) -> tuple[int, str] | None:
    """The user and the subject of a token; None for one that we did not sign, or of a user who has gone."""
    try:
        user_id, subject = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        return None
    known = get_user_model().objects.filter(Q(pk=user_id), is_active=True).exists()
    return (user_id, subject) if known and subject in SUBJECTS else None
