"""What the services of clubs share: permission checks, the club's lock, and the log of changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from celery import current_app
from django.contrib.auth.models import AnonymousUser, User
from django.utils.translation import gettext as _

from games.accounts import notices, people, speech
from games.accounts.models import Profile
from games.common import clock
from games.common.after_commit import after_commit
from games.common.errors import DomainError
from scorebook_games.presentation.coded_text import Sentence
from tournaments.clubs.models import Club, ClubEvent, Membership
from tournaments.clubs.permissions import ORGANISER_ROLES, may_organise, may_own

REASON_MAX_LENGTH: Final = 150
OFFER_KEY: Final = "offer"  # of the notice to the member to whom the club is offered


def lock_club(club: Club, *, archived: bool = False) -> Club:
    """Return the club's current row, locked until the transaction ends, so that changes follow one another.

    Raises `DomainError` club_archived (409), unless `archived` clubs are allowed.
    """
    locked = Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    if locked.archived_at and not archived:
        raise DomainError(409, "club_archived", _("{club} is archived, so it cannot be changed.").format(club=locked))
    return locked


def record_event(
    club: Club, type: str, by: User | None, about: User | None = None, *, reason: str = "", **data: Any
) -> None:
    """Write an event to the club's log."""
    ClubEvent.objects.create(club=club, type=type, by=by, about=about, reason=reason, data=data, at=clock.now())


def check_account(user: User | AnonymousUser) -> User:
    """Return `user` if it has an account. Raises `DomainError` not_signed_in, guest (403)."""
    if not isinstance(user, User) or user.pk is None:
        raise DomainError(403, "not_signed_in", _("Log in first to join a club."))
    if Profile.objects.filter(user=user, guest=True).exists():
        raise DomainError(403, "guest", _("Guests cannot join clubs. Sign up first; you keep your games."))
    return user


def check_may_write(user: User | AnonymousUser | None) -> None:
    """Raise `DomainError` muted, warning_unread (403) if an admin's sanction forbids `user` to write to others."""
    if (refused := speech.speech_refusal(user)) is not None:
        raise DomainError(refused.status, refused.code, refused.sentence)


def check_organiser(user: User | AnonymousUser, club: Club) -> User:
    """Return `user` if they organise the club. Raises `DomainError` not_organiser (403)."""
    if not isinstance(user, User) or not may_organise(user, club):
        raise DomainError(403, "not_organiser", _("Only the organisers of {club} can do that.").format(club=club))
    return user


def check_owner(user: User | AnonymousUser, club: Club) -> User:
    """Return `user` if they own the club. Raises `DomainError` not_owner (403)."""
    if not isinstance(user, User) or not may_own(user, club):
        raise DomainError(403, "not_owner", _("Only the owner of {club} can do that.").format(club=club))
    return user


def clean_reason(text: str) -> str:
    """Return the reason, cleaned. Raises `DomainError` bad_reason (400)."""
    reason = " ".join(text.split())
    if not reason or len(reason) > REASON_MAX_LENGTH or not reason.isprintable():
        sentence = _("Give a reason of at most {most} characters. The person concerned can read it.")
        raise DomainError(400, "bad_reason", sentence.format(most=REASON_MAX_LENGTH), "reason")
    return reason


def notify_users(
    users: list[int], subject: str, club: Club, key: str, *, by: User | None = None, sentence: Sentence, url: str
) -> None:
    """Notify people of `subject`; `by` is the user who caused it."""
    who = people.player_of_user(by) if by else None
    notices.notify_users(users, subject, key=f"club:{club.pk}:{key}", by=who, sentences=[sentence], url=url)


def clear_offer(club: Club) -> None:
    """End the offer of the club, if there is one, and withdraw its notice."""
    if club.offered_to_id is not None:
        withdraw_notices([club.offered_to_id], club, OFFER_KEY)
        club.offered_to = None
        club.save(update_fields=["offered_to"])


def withdraw_notices(users: Iterable[int], club: Club, key: str) -> None:
    """Withdraw a notice that asks people something, because the question is answered or has become pointless."""
    notices.withdraw_notices(users, f"club:{club.pk}:{key}")


def wake_workers() -> None:
    """Tell the workers after the commit that there are invitations or news to send. The beat does so too."""
    after_commit(_send_wake)


def _send_wake() -> None:
    current_app.send_task("tournaments.notify_clubs", queue="short", expires=60, retry=False)


def club_organisers(club: Club) -> list[int]:
    """Return the club's owner and organisers."""
    rows = Membership.objects.filter(club=club, role__in=ORGANISER_ROLES)
    return list(rows.values_list("user_id", flat=True))
