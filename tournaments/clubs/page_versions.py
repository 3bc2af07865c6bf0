"""What rendered pages of clubs depend on (`games.common.page_cache`)."""

from __future__ import annotations

from collections.abc import Hashable

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from games.common.table_changes import tables_version
from tournaments.clubs.permissions import visible_to
from tournaments.seasons.page_versions import CLUB_TABLES


def club_key(user: AbstractBaseUser | AnonymousUser, slug: str) -> Hashable:
    """Return the version of a club, its people and its news; None if `user` sees no such club. Two queries."""
    club = visible_to(user).filter(slug=slug).order_by().values_list("pk", flat=True).first()
    return None if club is None else (club, tables_version(*CLUB_TABLES, "clubs_clubpost"))
