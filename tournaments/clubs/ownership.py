"""Transferring a club: its owner offers it to a member, who accepts."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from scorebook_games.presentation.coded_text import written
from tournaments.clubs.lifecycle import check_may_own_more
from tournaments.clubs.locking import (
    OFFER_KEY,
    check_account,
    check_owner,
    clear_offer,
    lock_club,
    notify_users,
    record_event,
)
from tournaments.clubs.members import set_owner_role
from tournaments.clubs.models import Club, Membership
from tournaments.clubs.permissions import may_own
from tournaments.clubs.subjects import club_transferred


def offer_club(*, club: Club, user: User | AnonymousUser, membership: Membership) -> Club:
    """Offer the club to one of its members; this replaces an earlier offer.

    Raises `DomainError`: not_owner (403), not_member, owner_already (409).
    """
    by = check_owner(user, club)
    with transaction.atomic():
        locked = lock_club(club, archived=True)
        current = locked.memberships.filter(pk=membership.pk).select_related("user").first()
        if current is None:
            raise DomainError(409, "not_member", _("A club can only be transferred to one of its members."), "member")
        if current.user_id == locked.owner_id:
            raise DomainError(409, "owner_already", _("This member already owns the club."), "member")
        clear_offer(locked)
        locked.offered_to = current.user
        locked.save(update_fields=["offered_to"])
        record_event(locked, "offered", by, current.user)
        url = reverse("club-transfer", args=[locked.slug])
        sentence = written(locked.name)
        notify_users([current.user_id], "club_transfer", locked, OFFER_KEY, by=by, sentence=sentence, url=url)
        return locked


def accept_club(*, club: Club, user: User | AnonymousUser) -> Club:
    """Accept a club that is offered to `user`; the previous owner becomes an organiser.

    Raises `DomainError`: not_signed_in, guest (403), not_offered, too_many_clubs (409).
    """
    heir = check_account(user)
    with transaction.atomic():
        locked = lock_club(club, archived=True)
        _check_offered(locked, heir)
        if locked.archived_at is None:
            check_may_own_more(heir)
        before = locked.owner
        clear_offer(locked)
        locked.owner = heir
        locked.save(update_fields=["owner"])
        set_owner_role(locked)
        record_event(locked, "transferred", heir, heir, before=before.pk)
        sentence, url = club_transferred(str(locked)), reverse("club", args=[locked.slug])
        notify_users(
            [before.pk], "club_role", locked, f"transferred:{locked.events.latest('id').pk}", sentence=sentence, url=url
        )
        return locked


def end_offer(*, club: Club, user: User | AnonymousUser) -> Club:
    """Withdraw the offer as the owner, or decline it.

    Raises `DomainError`: not_signed_in, guest (403), not_offered (409).
    """
    by = check_account(user)
    with transaction.atomic():
        locked = lock_club(club, archived=True)
        if not may_own(by, locked) or locked.offered_to is None:
            _check_offered(locked, by)
        about = locked.offered_to
        clear_offer(locked)
        record_event(locked, "offer_ended", by, about)
        return locked


def _check_offered(club: Club, user: User) -> None:
    if club.offered_to_id != user.pk:
        raise DomainError(409, "not_offered", _("You have no open offer of {club}.").format(club=club))
