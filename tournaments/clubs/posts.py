"""News of a club: short posts of its organisers, in plain text."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts import notices
from games.common import clock
from tournaments.clubs.lifecycle import checked_text
from tournaments.clubs.locking import hold, hurry, may_write, organiser, record
from tournaments.core.errors import LeagueError
from tournaments.models import Club, ClubPost, Membership

LONGEST_TITLE: Final = 80
LONGEST_TEXT: Final = 4000
AT_ONCE: Final = 500  # members who are told in one transaction


def of(club: Club) -> QuerySet[ClubPost]:
    """The posts, the newest first, with their authors."""
    return club.posts.select_related("by__player__bot_version")


def post(*, club: Club, user: User | AnonymousUser, title: str, text: str) -> ClubPost:
    """Tell the members something. Raises `LeagueError`: not_organiser (403), bad_title, bad_text (400),
    club_archived (409)."""
    by = organiser(user, club)
    may_write(by)
    title, text = _title(title), checked_text(text, LONGEST_TEXT, "text", 1)
    with transaction.atomic():
        held = hold(club)
        made = ClubPost.objects.create(club=held, by=by, title=title, text=text, created=clock.now())
        record(held, "posted", by, post=made.pk)
        hurry()
        return made


def edit(*, post: ClubPost, user: User | AnonymousUser, title: str, text: str) -> ClubPost:
    """Change a post; that it was is shown. Raises as `post`, and post_gone (409)."""
    by = organiser(user, post.club)
    may_write(by)
    title, text = _title(title), checked_text(text, LONGEST_TEXT, "text", 1)
    with transaction.atomic():
        held = hold(post.club)
        found = _still(post)
        found.title, found.text, found.edited_at = title, text, clock.now()
        found.save(update_fields=["title", "text", "edited_at"])
        record(held, "edited", by, post=found.pk)
        return found


def delete(*, post: ClubPost, user: User | AnonymousUser) -> None:
    """Take a post away. Raises `LeagueError`: not_organiser (403), post_gone, club_archived (409)."""
    by = organiser(user, post.club)
    with transaction.atomic():
        held = hold(post.club)
        found = _still(post)
        record(held, "deleted", by, post=found.pk)
        found.delete()


def tell_all() -> int:
    """Tell the members of news that they were not told of; how many posts. Nobody is told twice."""
    told = 0
    for post in ClubPost.objects.filter(told=False).select_related("club", "by__player"):
        members = list(Membership.objects.filter(club=post.club_id).values_list("user_id", flat=True))
        others = [user for user in members if user != post.by_id]
        url = reverse("club-news", args=[post.club.slug])
        for first in range(0, len(others), AT_ONCE):
            notices.tell(
                others[first : first + AT_ONCE], "club_news", key=f"club-news:{post.pk}", note=post.club.name, url=url
            )
        told += ClubPost.objects.filter(pk=post.pk, told=False).update(told=True)
    return told


def _title(text: str) -> str:
    title = " ".join(text.split())
    if not title or len(title) > LONGEST_TITLE or not title.isprintable():
        sentence = _("A heading has 1 to {most} characters.").format(most=LONGEST_TITLE)
        raise LeagueError(400, "bad_title", sentence, "title")
    return title


def _still(post: ClubPost) -> ClubPost:
    found = ClubPost.objects.filter(pk=post.pk).first()
    if found is None:
        raise LeagueError(409, "post_gone", _("This post is gone by now."))
    return found
