"""News of a club: short posts by its organisers, in plain text."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts import notices
from games.common import clock
from games.common.errors import DomainError
from scorebook_games.presentation.coded_text import written
from tournaments.clubs.lifecycle import clean_text
from tournaments.clubs.locking import check_may_write, check_organiser, lock_club, record_event, wake_workers
from tournaments.clubs.models import Club, ClubPost, Membership

TITLE_MAX_LENGTH: Final = 80
TEXT_MAX_LENGTH: Final = 4000
NOTIFY_BATCH_SIZE: Final = 500  # members notified in one transaction


def club_posts(club: Club) -> QuerySet[ClubPost]:
    """Return the posts with their authors, newest first."""
    return club.posts.select_related("by__player__bot_version")


def create_post(*, club: Club, user: User | AnonymousUser, title: str, text: str) -> ClubPost:
    """Publish news to the members.

    Raises `DomainError`: not_organiser (403), bad_title, bad_text (400), club_archived (409).
    """
    by = check_organiser(user, club)
    check_may_write(by)
    title, text = _clean_title(title), clean_text(text, TEXT_MAX_LENGTH, "text", 1)
    with transaction.atomic():
        locked = lock_club(club)
        made = ClubPost.objects.create(club=locked, by=by, title=title, text=text, created=clock.now())
        record_event(locked, "posted", by, post=made.pk)
        wake_workers()
        return made


def edit_post(*, post: ClubPost, user: User | AnonymousUser, title: str, text: str) -> ClubPost:
    """Edit a post; readers see that it was edited. Raises `DomainError` as `create_post` does, and post_gone (409)."""
    by = check_organiser(user, post.club)
    check_may_write(by)
    title, text = _clean_title(title), clean_text(text, TEXT_MAX_LENGTH, "text", 1)
    with transaction.atomic():
        locked = lock_club(post.club)
        current = _current_post(post)
        current.title, current.text, current.edited_at = title, text, clock.now()
        current.save(update_fields=["title", "text", "edited_at"])
        record_event(locked, "edited", by, post=current.pk)
        return current


def delete_post(*, post: ClubPost, user: User | AnonymousUser) -> None:
    """Delete a post. Raises `DomainError`: not_organiser (403), post_gone, club_archived (409)."""
    by = check_organiser(user, post.club)
    with transaction.atomic():
        locked = lock_club(post.club)
        current = _current_post(post)
        record_event(locked, "deleted", by, post=current.pk)
        current.delete()


def notify_members_of_posts() -> int:
    """Notify members of new posts, each member once for each post; return how many posts."""
    count = 0
    for post in ClubPost.objects.filter(announced=False).select_related("club", "by__player"):
        members = list(Membership.objects.filter(club=post.club_id).values_list("user_id", flat=True))
        others = [user for user in members if user != post.by_id]
        url = reverse("club-news", args=[post.club.slug])
        for first in range(0, len(others), NOTIFY_BATCH_SIZE):
            notices.notify_users(
                others[first : first + NOTIFY_BATCH_SIZE],
                "club_news",
                key=f"club-news:{post.pk}",
                sentences=[written(post.club.name)],
                url=url,
            )
        count += ClubPost.objects.filter(pk=post.pk, announced=False).update(announced=True)
    return count


def _clean_title(text: str) -> str:
    title = " ".join(text.split())
    if not title or len(title) > TITLE_MAX_LENGTH or not title.isprintable():
        sentence = _("A heading must have 1 to {most} characters.").format(most=TITLE_MAX_LENGTH)
        raise DomainError(400, "bad_title", sentence, "title")
    return title


def _current_post(post: ClubPost) -> ClubPost:
    current = ClubPost.objects.filter(pk=post.pk).first()
    if current is None:
        raise DomainError(409, "post_gone", _("This post has been deleted."))
    return current
