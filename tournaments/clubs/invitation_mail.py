"""The e-mail of an invitation: claimed before it is handed over, so that it goes out once each time it was asked for.

Its link is made here, when it is sent, and kept as a hash: whoever reads the database cannot use it.
"""

from __future__ import annotations

from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from games.accounts import mail
from games.common import clock
from tournaments.clubs import invitations
from tournaments.clubs.locking import notify_users, wake_workers
from tournaments.clubs.models import Invitation
from tournaments.core.errors import LeagueError

BATCH_SIZE: Final = 100


def send_due() -> int:
    """Send the invitations that are due; how many went out. One that was claimed and never came back is unsure."""
    lost = Invitation.objects.filter(mail=Invitation.Mail.SENDING, mail_at__lt=clock.now() - mail.CLAIM_TIMEOUT)
    lost.update(mail=Invitation.Mail.UNSURE)
    due = Invitation.objects.filter(mail=Invitation.Mail.DUE, mail_at__lte=clock.now()).order_by("mail_at")
    return sum(send_one(pk) for pk in due.values_list("pk", flat=True)[:BATCH_SIZE])


def send_one(pk: int) -> bool:
    """Send one, unless somebody else does or it is over by now; whether it went out."""
    drawn, kept = invitations.new_invitation_token()
    claimed = Invitation.objects.filter(pk=pk, mail=Invitation.Mail.DUE, mail_at__lte=clock.now())
    if not claimed.update(mail=Invitation.Mail.SENDING, mail_at=clock.now(), **kept):
        return False
    invitation = Invitation.objects.select_related("club", "by__player").get(pk=pk)
    if invitations.invitation_state(invitation) != "good":
        became, error = mail.DeliveryResult(Invitation.Mail.NONE)
    else:
        notify_invited_user(invitation)
        became, error = mail.deliver(build_email(invitation, drawn), f"invitation {pk}", invitation.tries)
    again = became == Invitation.Mail.DUE
    pause = mail.RETRY_DELAY * 2 ** (invitation.tries + 1) if again else mail.RETRY_DELAY * 0
    Invitation.objects.filter(pk=pk).update(
        mail=became, mail_error=error, tries=invitation.tries + again, mail_at=clock.now() + pause
    )
    return became == Invitation.Mail.SENT


def notify_invited_user(invitation: Invitation) -> None:
    """A word on the site for whoever has confirmed that address; who invites does not learn of it."""
    readers = EmailAddress.objects.filter(email__iexact=invitation.email, verified=True)
    members = invitation.club.memberships.values("user")
    users = list(readers.exclude(user__in=members).values_list("user", flat=True))
    key = f"invitation:{invitation.pk}"
    note, url = invitation.club.name, reverse("club-list")
    notify_users(users, "club_invitation", invitation.club, key, by=invitation.by, note=note, url=url)


def build_email(invitation: Invitation, token: str) -> EmailMessage:
    """The e-mail itself. Nothing in it was written by who invites but names, which hold no address."""
    with translation.override(settings.LANGUAGE_CODE):
        player = getattr(invitation.by, "player", None)
        context = {
            "who": player.name if player else _("Somebody"),
            "club": invitation.club.name,
            "link": settings.SCOREBOOK_BASE_URL + reverse("invitation", args=[token]),
            "until": invitation.expires_at,
        }
        return EmailMessage(
            subject=_("{who} invites you to {club}").format(**context),
            body=render_to_string("clubs/invitation.txt", context),
            to=[invitation.email],
            headers={"Auto-Submitted": "auto-generated"},
        )


# what did not go out, for admins


def waiting_for_retry() -> QuerySet[Invitation]:
    """Those that the mail server did not take at the first try, and which are to be tried again."""
    return Invitation.objects.filter(mail=Invitation.Mail.DUE, tries__gt=0)


def unsure_or_given_up() -> QuerySet[Invitation]:
    """Those that may not have been sent, or were given up, within days, and would still let somebody in."""
    lately = Q(mail_at__gt=clock.now() - mail.UNSENT_MAIL_SHOWN_FOR)
    return Invitation.objects.filter(
        lately, invitations.is_valid_condition(), mail__in=(Invitation.Mail.UNSURE, Invitation.Mail.FAILED)
    )


def retry_all_now() -> int:
    """Try all those at once that wait for the mail server or were given up lately; how many."""
    given_up = unsure_or_given_up().filter(mail=Invitation.Mail.FAILED)
    return _requeue(
        Invitation.objects.filter(Q(pk__in=waiting_for_retry().values("pk")) | Q(pk__in=given_up.values("pk")))
    )


def send_again(invitation: Invitation) -> None:
    """Send one that may not have been sent, waits or was given up, at once and with a new link; perhaps a second time.

    Raises `LeagueError` not_unsent, invitation_over (409).
    """
    unsent = (Invitation.Mail.DUE, Invitation.Mail.UNSURE, Invitation.Mail.FAILED)
    invitations.check_valid(invitation)
    if not _requeue(Invitation.objects.filter(pk=invitation.pk, mail__in=unsent)):
        raise LeagueError(409, "not_unsent", _("This invitation was sent, is being sent, or is a link."))


def _requeue(found: QuerySet[Invitation]) -> int:
    count = found.update(mail=Invitation.Mail.DUE, mail_at=clock.now(), tries=0)
    if count:
        wake_workers()
    return count
