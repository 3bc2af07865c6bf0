"""The emails of notices. `games.accounts.mail_outbox` sends them.

They are plain text, with times in the person's own zone, a link, and an unsubscribe link that needs no login.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.core.mail import EmailMessage
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.text import Truncator

from games.accounts import notices, quiet_hours
from games.accounts.languages import mail_language
from games.accounts.mail_outbox import MailOutbox, SendResult, deliver
from games.accounts.models import Notice
from games.accounts.subjects import CLOCK_LOW, SUBJECTS, YOUR_TURN
from games.accounts.zones import chosen_zone, zone_info
from games.common import clock
from games.common.outbox import SendState
from games.play.signals import ABORT

UNSUBSCRIBE_SALT: Final = "games.accounts.mail"
SUBJECT_MAX_LENGTH: Final = 200


class NoticeMails(MailOutbox):
    """The emails of notices."""

    model = Notice
    related = ("user", "game", "by")

    def deliver(self, row: Notice) -> SendResult:
        """Give the email to the mail server, and return the result."""
        address = recipient_address(row)
        if address is None or is_stale(row):
            return SendResult(SendState.NONE)
        return deliver(build_email(row, address), f"notice {row.pk}")

    def held_until(self, row: Notice) -> datetime | None:
        return quiet_hours.end_of_quiet(row.user)

    def call_workers(self) -> None:
        notices.send_mails()


NOTICE_MAILS: Final = NoticeMails()


def recipient_address(notice: Notice) -> str | None:
    """Return the confirmed main address if the person still wants the email, else None."""
    if not notices.wants_mail_by_user([notice.user_id], notice.subject).get(notice.user_id):
        return None
    found = EmailAddress.objects.filter(user=notice.user_id, primary=True, verified=True).first()
    return str(found.email) if found else None


def is_stale(notice: Notice) -> bool:
    """Return whether the person has seen the notice, or the turn or moment that it is about is over."""
    if notice.about_at is not None and notice.about_at <= clock.now():
        return True
    if notice.subject in (YOUR_TURN, CLOCK_LOW) and notice.game_id is not None:
        notices.withdraw_turn_notices([notice.game_id])
    if notice.subject == notices.OF_OFFERS[ABORT] and notice.game_id is not None:
        notices.withdraw_abort_notices([notice.game_id])
    return not Notice.objects.filter(pk=notice.pk, seen_at=None).exists()


def build_email(notice: Notice, address: str) -> EmailMessage:
    """Return the email."""
    zone, subject = chosen_zone(notice.user), SUBJECTS[notice.subject]
    stop = settings.SCOREBOOK_BASE_URL + reverse(
        "notices-stop", args=[unsubscribe_token(notice.user_id, notice.subject)]
    )
    with timezone.override(zone_info(zone)), translation.override(mail_language(notice.user)):
        line = notices.notice_row(notice)
        context = {
            "line": line,
            "zone": zone_info(zone).key,
            "deadline": deadline_of(notice),
            "link": settings.SCOREBOOK_BASE_URL + line.address,
            "links": subject.links(notice),
            "stop": stop,
            "title": subject.title,
            "has_times": subject.moments or bool(subject.reminders),
        }
        on_one_line = " ".join(line.words.split()).rstrip(".")  # a name may contain a line break
        return EmailMessage(
            subject=Truncator(on_one_line).chars(SUBJECT_MAX_LENGTH),
            body=render_to_string("accounts/notice.txt", context),
            to=[address],
            headers={
                "List-Unsubscribe": f"<{stop}>",
                "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
                "Auto-Submitted": "auto-generated",
            },
        )


def deadline_of(notice: Notice) -> object:
    """Return until when the person must move; None if there is no time limit."""
    if notice.subject not in (YOUR_TURN, CLOCK_LOW) or notice.game is None:
        return None
    return notice.game.deadline


def unsubscribe_token(user_id: int, subject: str) -> str:
    """Return the signed token of an unsubscribe link. It names user and subject, and does not expire."""
    return signing.dumps([user_id, subject], salt=UNSUBSCRIBE_SALT)


def read_unsubscribe_token(token: str) -> tuple[int, str] | None:
    """Return the user and the subject of a token; None for one that we did not sign, or of a deleted user."""
    try:
        user_id, subject = signing.loads(token, salt=UNSUBSCRIBE_SALT)
    except signing.BadSignature:
        return None
    known = get_user_model().objects.filter(Q(pk=user_id), is_active=True).exists()
    return (user_id, subject) if known and subject in SUBJECTS else None
