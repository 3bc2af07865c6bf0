"""Celery's doors to what people are told. Messages only hurry: what there is to tell is found by queries."""

from __future__ import annotations

from celery import shared_task

from games.accounts import mail, notices, people, reminders, tokens
from games.bots.admission import notifications as author_notifications
from games.common import rate_limits
from games.moderation import impersonation, sanctions


@shared_task(name="games.send_mails", time_limit=240)  # type: ignore[untyped-decorator]
def send_mails() -> int:
    """Send the e-mails that are due."""
    return mail.send_due()


@shared_task(name="games.tell_people")  # type: ignore[untyped-decorator]
def tell_people() -> None:
    """Tell of turns, of games that begin and of games that are over where a word was lost, and authors of their bots;
    remind of clocks that run out; end the mutes and bans whose time is over; send what is due."""
    sanctions.end_due()
    sanctions.follow()
    notices.tell_turns()
    notices.tell_appointed()
    notices.tell_over()
    author_notifications.tell_due()
    reminders.tell_clocks()
    mail.send_due()


@shared_task(name="games.forget_guests")  # type: ignore[untyped-decorator]
def forget_guests() -> int:
    """Delete guests who have not come to stay."""
    return people.forget_guests()


@shared_task(name="games.forget_tokens")  # type: ignore[untyped-decorator]
def forget_tokens() -> int:
    """Delete access tokens that have been over for a while, what was looked at in support a year ago, and counts of who
    asked how often."""
    rate_limits.forget_old()
    return tokens.forget_old() + impersonation.forget_old()
