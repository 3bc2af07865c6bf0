"""The e-mail of an invitation. `games.accounts.mail_outbox` sends it once each time it was asked for.

Its link is made here, when it is sent, and kept as a hash: whoever reads the database cannot use it.
"""

from __future__ import annotations

from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from games.accounts.mail_outbox import DeliveryResult, MailOutbox, deliver
from games.common.errors import DomainError
from tournaments.clubs import invitations
from tournaments.clubs.locking import notify_users, wake_workers
from tournaments.clubs.models import Invitation


class InvitationMails(MailOutbox):
    """The e-mails of invitations. Each try sends a new link."""

    model = Invitation
    related = ("club", "by__player")

    def deliver(self, row: Invitation) -> DeliveryResult:
        """Give the e-mail to the mail server, unless the invitation is over by now."""
        if invitations.invitation_state(row) != "good":
            return DeliveryResult(Invitation.Mail.NONE)
        token, kept = invitations.new_invitation_token()
        if not self.claimed(row).update(**kept):  # sent again meanwhile: that link is to stay good
            return DeliveryResult(Invitation.Mail.UNSURE)
        notify_invited_user(row)
        return deliver(build_email(row, token), f"invitation {row.pk}", row.tries)

    def call_workers(self) -> None:
        wake_workers()

    def worth_showing(self) -> Q:
        """Those that would still let somebody in."""
        return invitations.is_valid_condition()


INVITATION_MAILS: Final = InvitationMails()


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


def send_again(invitation: Invitation) -> None:
    """Send one that may not have been sent, waits or was given up, at once and with a new link; perhaps a second time.

    Raises `DomainError` not_unsent, invitation_over (409).
    """
    invitations.check_valid(invitation)
    if not INVITATION_MAILS.send_again(invitation.pk):
        raise DomainError(409, "not_unsent", _("This invitation was already sent, is being sent now, or is a link."))
