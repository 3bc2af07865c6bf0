"""What leagues add to moderation: their subjects of reports, the removal of texts, and the transfer of a club whose
owner is gone."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common.errors import DomainError
from games.moderation.reports import ReportTarget, RequestUser, add_target
from tournaments.clubs.locking import clear_offer, lock_club, notify_users, record_event
from tournaments.clubs.members import set_owner_role
from tournaments.clubs.models import Club, ClubPost, Membership
from tournaments.clubs.permissions import may_organise, visible_to
from tournaments.clubs.subjects import club_given_to_you, club_taken_from_you
from tournaments.rulings.models import Dispute
from tournaments.seasons import notes
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import Note


def register_subjects() -> None:
    """Register clubs, their news and the reasons written in their seasons as subjects of reports."""
    add_target(
        "club",
        ReportTarget(
            gettext_lazy("club"),
            lambda pk, viewer: _visible_clubs(viewer).filter(pk=pk).first(),
            lambda club: club.name,
            lambda club: reverse("club", args=[club.slug]),
            lambda club: club.owner_id,
        ),
    )
    add_target(
        "club_news",
        ReportTarget(
            gettext_lazy("news of a club"),
            _find_post,
            lambda post: f"{post.title} ({post.club.name})",
            lambda post: f"{reverse('club-news', args=[post.club.slug])}#post-{post.pk}",
            lambda post: post.by_id,
        ),
    )
    add_target(
        "note",
        ReportTarget(
            gettext_lazy("reason written in a season"),
            _find_note,
            lambda note: f"{note.text[:60]} ({note.season})",
            lambda note: season_url(note.season),
            lambda note: note.author_id,
        ),
    )


def _visible_clubs(viewer: RequestUser | None) -> QuerySet[Club]:
    return Club.objects.all() if viewer is None else visible_to(viewer)


def _find_post(pk: int, viewer: RequestUser | None) -> ClubPost | None:
    return ClubPost.objects.filter(pk=pk, club__in=_visible_clubs(viewer)).select_related("club").first()


def _find_note(pk: int, viewer: RequestUser | None) -> Note | None:
    seen = Note.objects.filter(pk=pk, season__league__club__in=_visible_clubs(viewer)).exclude(text="")
    found = seen.select_related("season__league__club").first()
    private = found is not None and Dispute.objects.filter(note=found).exists()  # written for the organisers
    if found is None or viewer is None or not private or may_organise(viewer, found.season.league.club):  # type: ignore[arg-type]
        return found
    return None


def remove_post(post: ClubPost, by: User, reason: str) -> None:
    """Remove a club's news as an admin; the club's log says so and why. Raises `DomainError` post_gone (409)."""
    with transaction.atomic():
        locked = lock_club(post.club, archived=True)
        found = locked.posts.filter(pk=post.pk).first()
        if found is None:
            raise DomainError(409, "post_gone", _("This post has been deleted."))
        record_event(locked, "deleted", by, found.by, reason=reason[:300], post=found.pk, how="admin")
        found.delete()


def blank_note(note: Note) -> None:
    """Remove the text of a reason; its event stays. Raises `DomainError` blank_already (409)."""
    if not note.text:
        raise DomainError(409, "blank_already", _("This text has already been removed."))
    notes.blank_note(note)


def transfer_club(club: Club, to: User, by: User, reason: str) -> Club:
    """Give a club to one of its members. The former owner stays a member, and both are notified. Raises `DomainError`:
    not_member, owner_already (409)."""
    with transaction.atomic():
        locked = lock_club(club, archived=True)
        if not locked.memberships.filter(user=to).exists():
            raise DomainError(409, "not_member", _("A club can only be transferred to one of its members."), "to")
        if locked.owner_id == to.pk:
            raise DomainError(409, "owner_already", _("This member already owns the club."), "to")
        before = locked.owner
        clear_offer(locked)
        locked.owner = to
        locked.save(update_fields=["owner"])
        set_owner_role(locked)
        locked.memberships.filter(user=before).update(role=Membership.Role.MEMBER)
        record_event(locked, "transferred", by, to, reason=reason[:300], before=before.pk, how="admin")
        key, url = f"given:{locked.events.latest('id').pk}", reverse("club", args=[locked.slug])
        notify_users([to.pk], "club_role", locked, key, sentence=club_given_to_you(str(locked)), url=url)
        notify_users([before.pk], "club_role", locked, key, sentence=club_taken_from_you(str(locked)), url=url)
        return locked
