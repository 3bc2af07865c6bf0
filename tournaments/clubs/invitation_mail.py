"""The emails of invitations. `games.accounts.mail_outbox` sends each once for every time that it is requested.

The link is created when the email is sent, and only its hash is stored, so nobody can take it from the database.
"""

from __future__ import annotations

from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from games.accounts.languages import mail_language
from games.accounts.mail_outbox import MailOutbox, SendResult, deliver
from games.common.outbox import SendState
from scorebook_games.presentation.coded_text import written
from tournaments.clubs import invitations
from tournaments.clubs.locking import notify_users, wake_workers
from tournaments.clubs.models import Invitation


class InvitationMails(MailOutbox):
    """The outbox of invitation emails. Each attempt sends a new link."""

    model = Invitation
    related = ("club", "by__player")

    def deliver(self, row: Invitation) -> SendResult:
        """Give the email to the mail server, unless the invitation is no longer valid."""
        if invitations.invitation_state(row) != "good":
            return SendResult(SendState.NONE)
        token, kept = invitations.new_invitation_token()
        with transaction.atomic():  # whoever ends the invitation waits for this, and then withdraws the notice
            still_valid = self.claimed(row).filter(invitations.is_valid_condition())
            if not still_valid.update(**kept):  # It has ended, or was sent again meanwhile; that link stays valid.
                return SendResult(SendState.UNSURE)
            notify_invited_user(row)
        return deliver(build_email(row, token), f"invitation {row.pk}")

    def call_workers(self) -> None:
        wake_workers()

    def worth_showing(self) -> Q:
        """Return the unsent invitations that are still valid."""
        return invitations.is_valid_condition()

    def resend(self, row: Invitation) -> None:
        """Send an invitation again with a new link. Raises `DomainError` invitation_over, not_unsent (409)."""
        invitations.check_valid(row)
        super().resend(row)


INVITATION_MAILS: Final = InvitationMails()


def notify_invited_user(invitation: Invitation) -> None:
    """Notify the user who has confirmed that address, if there is one. The sender does not learn whether there is."""
    readers = EmailAddress.objects.filter(email__iexact=invitation.email, verified=True)
    members = invitation.club.memberships.values("user")
    users = list(readers.exclude(user__in=members).values_list("user", flat=True))
    key = invitations.invitation_key(invitation)
    sentence, url = written(invitation.club.name), reverse("club-list")
    notify_users(users, "club_invitation", invitation.club, key, by=invitation.by, sentence=sentence, url=url)


def language_of(invitation: Invitation) -> str:
    """Return the language of the invited person, if an account has that address, else of the person who invites."""
    known = EmailAddress.objects.filter(email__iexact=invitation.email, verified=True).select_related("user").first()
    return mail_language(known.user if known else invitation.by)


def build_email(invitation: Invitation, token: str) -> EmailMessage:
    """Build the email. The sender chooses nothing in it except names, which cannot contain an address."""
    with translation.override(language_of(invitation)):
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
