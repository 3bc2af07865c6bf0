"""What rendered pages of clubs depend on (`games.common.page_cache`)."""

from __future__ import annotations

from collections.abc import Hashable

from games.common.table_changes import tables_version
from tournaments.seasons.page_versions import CLUB_TABLES


def club_key(slug: str) -> Hashable:
    """Return the version of a club, its people and its news. One query.

    Who sees the club follows from the same tables.
    """
    return slug, tables_version(*CLUB_TABLES, "clubs_clubpost")
