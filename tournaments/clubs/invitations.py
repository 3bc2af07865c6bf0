"""Invitations to clubs: links to pass on, and links sent to an email address. Using one makes a person a member.

An email invitation is the same whether or not the address belongs to an account. The sender learns that it was used,
but not who reads the address.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string
from datetime import timedelta
from typing import Any, Final

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError
from games.common.outbox import SendState
from games.common.prepared import first_row, prepared
from games.visibility import acting
from tournaments.clubs.locking import (
    check_account,
    check_may_write,
    check_organiser,
    lock_club,
    record_event,
    wake_workers,
    withdraw_notices,
)
from tournaments.clubs.members import add_member
from tournaments.clubs.models import Club, ClubEvent, Invitation

MAX_VALID_INVITATIONS: Final = 100  # valid invitations of a club at one time
MAX_VALID_DAYS, DEFAULT_VALID_DAYS = 90, 14
MAX_USES: Final = 1000
LIMIT_WINDOW: Final = timedelta(days=1)
MAX_MAILS_PER_PERSON: Final = 40  # email invitations by one person in a day
MAX_MAILS_PER_CLUB: Final = 100
MAX_MAILS_PER_ADDRESS: Final = 3  # email invitations to one address in a day, from all clubs
MAX_SENDS: Final = 3  # of one invitation
RESEND_PAUSE: Final = timedelta(minutes=10)  # before it is sent again
TOKEN_ALPHABET: Final = string.ascii_letters + string.digits
TOKEN_PATTERN: Final = re.compile(r"[0-9A-Za-z]{48}")
TOKEN_PREFIX_LENGTH: Final = 8


def new_invitation_token() -> tuple[str, dict[str, object]]:
    """Return a new secret, with the prefix and hash that are stored. It has 285 random bits, so a fast hash is
    enough."""
    drawn = "".join(secrets.choice(TOKEN_ALPHABET) for _each in range(48))
    return drawn, {"prefix": drawn[:TOKEN_PREFIX_LENGTH], "digest": hashlib.sha256(drawn.encode()).digest()}


def email_digest(email: str) -> str:
    """Return the keyed hash by which an email address is recognised again."""
    return salted_hmac("tournaments.clubs.invitations", email.lower(), algorithm="sha256").hexdigest()


def is_valid_condition() -> Q:
    """Return the query condition for invitations that can be used now."""
    room = Q(max_uses=None) | Q(used__lt=F("max_uses"))
    return Q(revoked_at=None, expires_at__gt=clock.now()) & room


def valid_invitations(club: Club) -> QuerySet[Invitation]:
    """Return the club's valid invitations, newest first."""
    return club.invitations.filter(is_valid_condition()).select_related("by__player__bot_version")


def invitation_state(invitation: Invitation) -> str:
    """Return the invitation's state: good, declined, revoked, expired or used."""
    if invitation.revoked_at:
        return "declined" if invitation.declined else "revoked"
    if invitation.expires_at <= clock.now():
        return "expired"
    return "good" if invitation.max_uses is None or invitation.used < invitation.max_uses else "used"


# creating invitations


def invite_by_link(
    *, club: Club, user: User | AnonymousUser, max_uses: int | None = None, days: int = DEFAULT_VALID_DAYS
) -> tuple[Invitation, str]:
    """Create a link for `max_uses` people (None: unlimited), valid for `days`; return it with its secret, which is not
    stored.

    Raises `DomainError`: not_organiser (403), bad_invitation (400), club_archived, too_many_invitations (409).
    """
    by = check_organiser(user, club)
    check_may_write(by)
    if max_uses is not None and not 1 <= max_uses <= MAX_USES:
        raise DomainError(
            400, "bad_invitation", _("A link can be for 1 to {most} people.").format(most=MAX_USES), "max_uses"
        )
    _check_days(days)
    with transaction.atomic():
        locked = lock_club(club)
        _check_invitation_limit(locked)
        drawn, kept = new_invitation_token()
        made = _create(locked, by, days, max_uses=max_uses, **kept)
        record_event(locked, "invited", by, invitation=made.pk)
        return made, drawn


def invite_by_mail(*, club: Club, user: User | AnonymousUser, email: str, days: int = DEFAULT_VALID_DAYS) -> Invitation:
    """Create an email invitation for one person, which the workers send. An open invitation to the same address is
    returned instead.

    Raises `DomainError`: not_organiser, confirm_address (403), bad_email, bad_invitation (400), declined_before,
    club_archived, too_many_invitations (409), too_many_mails (429).
    """
    by = check_organiser(user, club)
    check_may_write(by)
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError as error:
        raise DomainError(400, "bad_email", _("This is not a valid email address."), "email") from error
    _check_days(days)
    key = email_digest(email)
    with transaction.atomic():
        locked = lock_club(club)
        if on_its_way := locked.invitations.filter(is_valid_condition(), address=key).first():
            return on_its_way
        if locked.invitations.filter(address=key, declined=True).exists():
            sentence = _("The owner of this address has declined an invitation. Contact them in another way.")
            raise DomainError(409, "declined_before", sentence, "email")
        _check_invitation_limit(locked)
        _check_mail_limits(locked, by, key)
        _drawn, kept = new_invitation_token()  # never used: the email gets a new secret
        due = {"send_state": SendState.DUE, "send_at": clock.now(), "sends": 1}
        made = _create(locked, by, days, max_uses=1, email=email, address=key, **due, **kept)
        record_event(locked, "invited", by, invitation=made.pk)
        wake_workers()
        return made


def resend_invitation(*, invitation: Invitation, user: User | AnonymousUser) -> Invitation:
    """Send an email invitation again, with a new link that replaces the old one.

    Raises `DomainError`: not_organiser, confirm_address (403), invitation_over, not_by_mail, sent_lately, club_archived
    (409), too_many_mails (429).
    """
    by = check_organiser(user, invitation.club)
    with transaction.atomic():
        locked = lock_club(invitation.club)
        current = Invitation.objects.select_for_update().get(pk=invitation.pk)
        if not current.by_mail:
            raise DomainError(409, "not_by_mail", _("This invitation is a link and was not sent by email."))
        check_valid(current)
        waits = current.send_state in (SendState.DUE, SendState.SENDING)
        if waits or (current.send_at and current.send_at > clock.now() - RESEND_PAUSE):
            raise DomainError(409, "sent_lately", _("The invitation was just sent. Wait ten minutes."))
        if current.sends >= MAX_SENDS:
            sentence = _("The invitation was already sent {most} times and cannot be sent again.").format(
                most=MAX_SENDS
            )
            raise DomainError(429, "too_many_mails", sentence)
        _check_mail_limits(locked, by, current.address)
        current.send_state, current.send_at, current.sends, current.tries = (
            SendState.DUE,
            clock.now(),
            current.sends + 1,
            0,
        )
        current.save(update_fields=["send_state", "send_at", "sends", "tries"])
        record_event(locked, "resent", by, invitation=current.pk)
        wake_workers()
        return current


def revoke_invitation(*, invitation: Invitation, user: User | AnonymousUser) -> Invitation:
    """Revoke an invitation. Raises `DomainError`: not_organiser (403), invitation_over (409)."""
    by = check_organiser(user, invitation.club)
    with transaction.atomic():
        locked = lock_club(invitation.club)
        current = Invitation.objects.select_for_update().get(pk=invitation.pk)
        check_valid(current)
        _end_invitation(current)
        record_event(locked, "revoked", by, invitation=current.pk)
        return current


def _create(club: Club, by: User, days: int, **what: object) -> Invitation:
    now = clock.now()
    return Invitation.objects.create(club=club, by=by, created=now, expires_at=now + timedelta(days=days), **what)


def _check_days(days: int) -> None:
    if not 1 <= days <= MAX_VALID_DAYS:
        sentence = _("An invitation can be valid for 1 to {most} days.").format(most=MAX_VALID_DAYS)
        raise DomainError(400, "bad_invitation", sentence, "days")


def _check_invitation_limit(club: Club) -> None:
    if club.invitations.filter(is_valid_condition()).count() >= MAX_VALID_INVITATIONS:
        sentence = _("The club has {most} open invitations, the maximum. Revoke some first.").format(
            most=MAX_VALID_INVITATIONS
        )
        raise DomainError(409, "too_many_invitations", sentence)


def _check_mail_limits(club: Club, by: User, key: str) -> None:
    """Limit how many emails one person can have sent to strangers. Raises `DomainError` too_many_mails (429)."""
    if not EmailAddress.objects.filter(user=by, verified=True).exists():
        sentence = _("Confirm your own email address first, or create a link and send it yourself.")
        raise DomainError(403, "confirm_address", sentence)
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    lately = Invitation.objects.filter(send_at__gt=clock.now() - LIMIT_WINDOW)
    counted = [
        (Q(by=by), MAX_MAILS_PER_PERSON),
        (Q(club=club), MAX_MAILS_PER_CLUB),
        (Q(address=key), MAX_MAILS_PER_ADDRESS),
    ]
    for whose, most in counted:
        if (lately.filter(whose).aggregate(n=Sum("sends"))["n"] or 0) >= most:
            sentence = _("The daily limit of email invitations is reached. Create a link, or wait until tomorrow.")
            raise DomainError(429, "too_many_mails", sentence)


# using invitations


def find_by_token(token: str) -> Invitation:
    """Return the invitation with that secret, valid or not. Raises `DomainError` invitation_not_found (404)."""
    if TOKEN_PATTERN.fullmatch(token):
        wanted = Invitation.objects.select_related("club", "by__player__bot_version")
        invitation = wanted.filter(prefix=token[:TOKEN_PREFIX_LENGTH]).first()
        if invitation and hmac.compare_digest(hashlib.sha256(token.encode()).digest(), bytes(invitation.digest)):
            return invitation
    raise DomainError(404, "invitation_not_found", _("There is no such invitation. Ask for a new link."))


def check_valid(invitation: Invitation) -> None:
    """Raise `DomainError` invitation_over (409) unless the invitation is valid."""
    sentences = {
        "declined": _("This invitation was declined."),
        "revoked": _("This invitation was revoked. Ask for a new one."),
        "expired": _("This invitation has expired. Ask for a new one."),
        "used": _("This invitation has already been used. Ask for a new one."),
    }
    if (state := invitation_state(invitation)) != "good":
        raise DomainError(409, "invitation_over", sentences[state])


def accept_by_token(*, token: str, user: User | AnonymousUser) -> Club:
    """Become a member by a link. A member who opens it again does not use it up.

    Raises `DomainError`: invitation_not_found (404), not_signed_in, guest, removed (403), invitation_over,
    club_archived (409).
    """
    return _accept(find_by_token(token), check_account(user), token)


def invitations_for(user: User | AnonymousUser) -> QuerySet[Invitation]:
    """Return the invitations to confirmed addresses of `user` from clubs that they do not belong to, newest first."""
    if user.pk is None:
        return Invitation.objects.none()
    return _sent_to(_emails_of(user.pk), user.pk)


def first_invitations(user: acting.User, count: int) -> list[Invitation]:
    """Return the first of `invitations_for`. Two queries, one without confirmed addresses."""
    if user.pk is None:
        return []
    return list(_invitations(count, user=user.pk, emails=_emails_of(user.pk)))


def invitation_to(user: User | AnonymousUser, club: Club) -> Invitation | None:
    """Return the newest of `invitations_for` to this club. Two queries, one without confirmed addresses."""
    if user.pk is None:
        return None
    return first_row(_invitations_to_club(user=user.pk, emails=_emails_of(user.pk), club=club.pk))


@prepared
def _invitations_to_club(*, user: int, emails: list[str], club: int) -> QuerySet[Invitation]:
    return _sent_to(emails, user).filter(club=club)[:1]


def _emails_of(user: int) -> list[str]:
    return [email.lower() for email in _addresses(user=user)]


@prepared
def _addresses(*, user: int) -> QuerySet[Any, str]:
    found: QuerySet[Any, str] = EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True)
    return found


@prepared
def _invitations(count: int, *, user: int, emails: list[str]) -> QuerySet[Invitation]:
    return _sent_to(emails, user)[:count]


def _sent_to(emails: list[str], user: int) -> QuerySet[Invitation]:
    found = Invitation.objects.filter(is_valid_condition(), email__in=emails).exclude(club__memberships__user=user)
    return found.select_related("club", "by__player__bot_version")


def accept_own(*, invitation: Invitation, user: User | AnonymousUser) -> Club:
    """Become a member by an invitation sent to one's own address. Raises `DomainError` as `accept_by_token` does."""
    return _accept(_check_own(invitation, user), check_account(user))


def _check_own(invitation: Invitation, user: User | AnonymousUser) -> Invitation:
    current = invitations_for(user).filter(pk=invitation.pk).first()
    if current is None:
        raise DomainError(404, "invitation_not_found", _("There is no such invitation. Ask for a new link."))
    return current


def _accept(invitation: Invitation, comer: User, token: str = "") -> Club:
    with transaction.atomic():
        club = lock_club(invitation.club)
        current = (
            find_by_token(token) if token else Invitation.objects.get(pk=invitation.pk)
        )  # read again under the lock
        if club.memberships.filter(user=comer).exists():
            return club
        check_valid(current)
        last = ClubEvent.objects.filter(club=club, type=ClubEvent.Type.REMOVED, about=comer).order_by("id").last()
        if last and last.at >= current.created:
            sentence = _("You were removed from {club} after this link was made. Ask for a new one.").format(club=club)
            raise DomainError(403, "removed", sentence)
        current.used += 1
        current.save(update_fields=["used"])
        if current.by_mail:
            _withdraw_notice(current)
            Invitation.objects.filter(pk=current.pk).update(email="")
        add_member(club, comer, how="invitation", invitation=current.pk)
        return club


def decline_by_token(*, token: str) -> Invitation:
    """Decline an email invitation, without signing in. The club cannot invite that address again.

    Raises `DomainError`: invitation_not_found (404), not_by_mail, invitation_over (409).
    """
    return _decline(find_by_token(token))


def decline_own(*, invitation: Invitation, user: User | AnonymousUser) -> Invitation:
    """Decline an invitation sent to one's own address. Raises `DomainError` as `decline_by_token` does."""
    return _decline(_check_own(invitation, user))


def _decline(invitation: Invitation) -> Invitation:
    with transaction.atomic():
        lock_club(invitation.club, archived=True)
        current = Invitation.objects.select_related("club").get(pk=invitation.pk)
        if not current.by_mail:
            raise DomainError(
                409, "not_by_mail", _("This link is for several people, so you do not have to decline it.")
            )
        check_valid(current)
        current.declined = True
        _end_invitation(current)
        return current


def revoke_all_invitations(club: Club) -> None:
    """Revoke all invitations of the club, which the caller has locked."""
    standing = club.invitations.filter(revoked_at=None)
    for each in standing.exclude(email=""):
        _end_invitation(each)
    standing.update(revoked_at=clock.now())


def _end_invitation(invitation: Invitation) -> None:
    invitation.revoked_at = clock.now()
    invitation.save(update_fields=["revoked_at", "declined"])
    _withdraw_notice(invitation)
    invitation.email = ""
    invitation.save(update_fields=["email"])


def _withdraw_notice(invitation: Invitation) -> None:
    """Withdraw the notice of an email invitation, which still has its address."""
    readers = EmailAddress.objects.filter(email__iexact=invitation.email, verified=True)
    withdraw_notices(readers.values_list("user", flat=True), invitation.club, invitation_key(invitation))


def invitation_key(invitation: Invitation) -> str:
    """Return the key of the notice to the user who has the invited address."""
    return f"invitation:{invitation.pk}"


def forget_addresses() -> int:
    """Delete the email addresses of invitations that are no longer valid; return how many."""
    return Invitation.objects.filter(~is_valid_condition()).exclude(email="").update(email="")
