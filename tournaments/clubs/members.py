"""Joining and leaving clubs: requests and their answers, removals, and roles."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError
from games.visibility import audience
from scorebook_games.presentation.coded_text import written
from tournaments.clubs.locking import (
    check_account,
    check_may_write,
    check_organiser,
    check_owner,
    clean_reason,
    clear_offer,
    club_organisers,
    lock_club,
    notify_users,
    record_event,
    withdraw_notices,
)
from tournaments.clubs.models import Club, ClubEvent, JoinRequest, Membership
from tournaments.clubs.permissions import may_see
from tournaments.clubs.subjects import (
    no_longer_member,
    no_longer_organiser,
    now_member,
    now_organiser,
    request_declined,
)

MAX_OPEN_REQUESTS: Final = 20  # open requests of one person
REQUEST_COOLDOWN: Final = timedelta(days=7)  # from an answer "no" until one may ask again
MESSAGE_MAX_LENGTH: Final = 200
MEMBER, ORGANISER, OWNER = Membership.Role.MEMBER, Membership.Role.ORGANISER, Membership.Role.OWNER


def members_of(club: Club) -> QuerySet[Membership]:
    """Return the members in order of joining, with everything that a list needs. One query."""
    return club.memberships.select_related("user__player__bot_version")


def club_players(club: Club) -> Q:
    """Return the filter for the players of a club, whom its organisers may enter, and give results: its members, their
    bots and the platform's bots."""
    people = Q(user__memberships__club=club)
    owners_in_club = Q(bot_version__bot__owner__memberships__club=club)
    return people | owners_in_club | Q(bot_version__isnull=False, bot_version__bot__owner=None)


def set_owner_role(club: Club) -> None:
    """Give the club's owner the role of owner; a previous owner becomes an organiser."""
    club.memberships.filter(role=OWNER).exclude(user=club.owner_id).update(role=ORGANISER)
    club.memberships.update_or_create(user_id=club.owner_id, defaults={"role": OWNER})


def open_requests(club: Club) -> QuerySet[JoinRequest]:
    """Return the club's open requests to join, oldest first."""
    return club.requests.filter(state=JoinRequest.State.OPEN).select_related("user__player__bot_version")


def open_request(user: User | AnonymousUser, club: Club) -> JoinRequest | None:
    """Return the open request of `user`, or None."""
    return club.requests.filter(user=user.pk, state=JoinRequest.State.OPEN).first() if user.pk else None


def join_club(*, club: Club, user: User | AnonymousUser, words: str = "") -> JoinRequest | None:
    """Join an open club and return None; otherwise create a request to its organisers and return it.

    Raises `DomainError`: not_signed_in, guest, by_invitation (403), club_not_found (404), bad_words (400),
    already_member, already_asked, asked_lately, club_archived (409), too_many_requests (429).
    """
    comer = check_account(user)
    if not may_see(comer, club):
        raise DomainError(404, "club_not_found", _("There is no such club."))
    words = " ".join(words.split())
    if len(words) > MESSAGE_MAX_LENGTH or not words.isprintable():
        raise DomainError(
            400, "bad_words", _("Use at most {most} characters.").format(most=MESSAGE_MAX_LENGTH), "words"
        )
    if words:
        check_may_write(comer)
    with transaction.atomic():
        locked = lock_club(club)
        _check_outside(locked, comer)
        if locked.is_private or locked.joining == Club.Joining.INVITED:
            sentence = _("You can join {club} only by invitation. Ask its organisers for a link.").format(club=locked)
            raise DomainError(403, "by_invitation", sentence)
        if locked.joining == Club.Joining.OPEN and not was_removed(locked, comer):
            add_member(locked, comer, how="open")
            return None
        return _create_request(locked, comer, words)


def _check_outside(club: Club, user: User) -> None:
    if club.memberships.filter(user=user).exists():
        raise DomainError(409, "already_member", _("You are already a member of {club}.").format(club=club))


def was_removed(club: Club, user: User) -> bool:
    """Return whether `user` was removed before. Then an organiser must agree again."""
    return ClubEvent.objects.filter(club=club, type=ClubEvent.Type.REMOVED, about=user).exists()


def add_member(club: Club, user: User, *, how: str, by: User | None = None, **data: int) -> None:
    """Make `user` a member of the club, which the caller has locked. This also answers their open request."""
    Membership.objects.create(club=club, user=user)
    close_request(club, user, JoinRequest.State.ACCEPTED)
    details: dict[str, Any] = {"how": how, **data}
    record_event(club, "joined", by or user, user, **details)


def close_request(club: Club, user: User, state: JoinRequest.State) -> bool:
    """Close the open request of `user`, and withdraw what organisers were asked; return whether there was one."""
    request = club.requests.select_for_update().filter(user=user, state=JoinRequest.State.OPEN).first()
    if request is None:
        return False
    withdraw_notices(club_organisers(club), club, f"request:{request.pk}")
    club.requests.filter(pk=request.pk).update(state=state, answered_at=clock.now())
    return True


def _create_request(club: Club, user: User, words: str) -> JoinRequest:
    requests = JoinRequest.objects.filter(user=user)
    if requests.filter(club=club, state=JoinRequest.State.OPEN).exists():
        raise DomainError(409, "already_asked", _("You have already asked. The organisers will answer."))
    lately = requests.filter(
        club=club, state=JoinRequest.State.DECLINED, answered_at__gt=clock.now() - REQUEST_COOLDOWN
    )
    if lately.exists():
        raise DomainError(409, "asked_lately", _("You had an answer recently. You can ask again after a week."))
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if requests.filter(state=JoinRequest.State.OPEN).count() >= MAX_OPEN_REQUESTS:
        sentence = _("You have {most} unanswered requests to clubs. Wait for answers, or withdraw one.")
        raise DomainError(429, "too_many_requests", sentence.format(most=MAX_OPEN_REQUESTS))
    asked = JoinRequest.objects.create(club=club, user=user, words=words, created=clock.now())
    record_event(club, "asked", user, user, request=asked.pk)
    url = reverse("club-members", args=[club.slug])
    notice, key = written(club.name), f"request:{asked.pk}"
    notify_users(club_organisers(club), "club_request", club, key, by=user, sentence=notice, url=url)
    return asked


def withdraw_request(*, club: Club, user: User | AnonymousUser) -> None:
    """Withdraw one's own request. Raises `DomainError`: not_signed_in, guest (403), no_request (409)."""
    comer = check_account(user)
    with transaction.atomic():
        if not close_request(club, comer, JoinRequest.State.WITHDRAWN):
            raise DomainError(409, "no_request", _("You have no open request to this club."))


def answer_request(*, request: JoinRequest, user: User | AnonymousUser, accept: bool) -> JoinRequest:
    """Accept or decline a request to join; the person is notified.

    Raises `DomainError`: not_organiser (403), club_archived, answered (409).
    """
    by = check_organiser(user, request.club)
    with transaction.atomic():
        club = lock_club(request.club)
        current = JoinRequest.objects.select_for_update().select_related("user").get(pk=request.pk)
        if current.state != JoinRequest.State.OPEN:
            raise DomainError(409, "answered", _("This request has already been answered or withdrawn."))
        if accept:
            add_member(club, current.user, how="request", by=by, request=current.pk)
            sentence = now_member(str(club))
        else:
            close_request(club, current.user, JoinRequest.State.DECLINED)
            record_event(club, "declined", by, current.user, request=current.pk)
            sentence = request_declined(str(club))
        notify_users(
            [current.user_id], "club_role", club, f"answer:{current.pk}", sentence=sentence, url=_club_url(club)
        )
    current.refresh_from_db()
    return current


def leave_club(*, club: Club, user: User | AnonymousUser) -> None:
    """Leave the club. Entries in its seasons stay.

    Raises `DomainError`: not_signed_in, guest (403), not_member, owner_stays (409).
    """
    goer = check_account(user)
    with transaction.atomic():
        locked = lock_club(club, archived=True)
        membership = locked.memberships.filter(user=goer).first()
        if membership is None:
            raise DomainError(409, "not_member", _("You are not a member of {club}.").format(club=locked))
        if membership.role == OWNER:
            sentence = _("You own {club}. Transfer it first; then you can leave.").format(club=locked)
            raise DomainError(409, "owner_stays", sentence)
        _end_membership(locked, membership)
        record_event(locked, "left", goer, goer)


def _end_membership(club: Club, membership: Membership) -> None:
    membership.delete()
    _withdraw_requests(club, membership)
    audience.audience_changed(club.pk)
    if club.offered_to_id == membership.user_id:
        clear_offer(club)


def _withdraw_requests(club: Club, membership: Membership) -> None:
    """Withdraw the notices of open requests from somebody who can no longer answer them."""
    for request in open_requests(club):
        withdraw_notices([membership.user_id], club, f"request:{request.pk}")


def remove_member(*, membership: Membership, user: User | AnonymousUser, reason: str) -> None:
    """Remove a member, who is told the reason. Organisers can remove members; the owner can also remove organisers.

    Raises `DomainError`: not_organiser, not_owner (403), bad_reason (400), owner_stays, yourself, club_archived (409).
    """
    by = check_organiser(user, membership.club)
    reason = clean_reason(reason)
    with transaction.atomic():
        club = lock_club(membership.club)
        current = _current_membership(membership)
        if current.role == OWNER:
            raise DomainError(409, "owner_stays", _("The owner of a club cannot be removed from it."))
        if current.user_id == by.pk:
            raise DomainError(409, "yourself", _("You cannot remove yourself. Leave the club instead."))
        if current.role == ORGANISER:
            check_owner(user, club)
        _end_membership(club, current)
        record_event(club, "removed", by, current.user, reason=reason)
        sentence, key = no_longer_member(str(club), reason), f"removed:{current.pk}"
        notify_users([current.user_id], "club_role", club, key, sentence=sentence, url=reverse("club-list"))


def _current_membership(membership: Membership) -> Membership:
    """Return the membership's current row. Raises `DomainError` not_member (409) if it has ended."""
    current = Membership.objects.select_related("user").filter(pk=membership.pk).first()
    if current is None:
        raise DomainError(409, "not_member", _("This person is no longer a member of the club."))
    return current


def set_role(*, membership: Membership, user: User | AnonymousUser, role: str) -> Membership:
    """Make a member an organiser, or an organiser a member.

    Raises `DomainError`: not_owner (403), bad_choice (400), owner_stays, not_member, club_archived (409).
    """
    by = check_owner(user, membership.club)
    if role not in (MEMBER, ORGANISER):
        raise DomainError(
            400,
            "bad_choice",
            _("The role must be organiser or member. To change the owner, transfer the club."),
            "role",
        )
    with transaction.atomic():
        club = lock_club(membership.club)
        current = _current_membership(membership)
        if current.role == OWNER:
            raise DomainError(409, "owner_stays", _("To give up the club, transfer it to another member."))
        if current.role == role:
            return current
        current.role = role
        current.save(update_fields=["role"])
        if role == MEMBER:
            _withdraw_requests(club, current)
        record_event(club, "role_given", by, current.user, role=role)
        sentence = (now_organiser if role == ORGANISER else no_longer_organiser)(str(club))
        key = f"role:{club.events.latest('id').pk}"
        notify_users([current.user_id], "club_role", club, key, sentence=sentence, url=_club_url(club))
        return current


def _club_url(club: Club) -> str:
    return reverse("club", args=[club.slug])
