"""What rendered ratings depend on (`games.common.page_cache`)."""

from __future__ import annotations

from collections.abc import Hashable

from django.db import connection
from django.db.models import Count, Sum

from games.common.table_changes import tables_version
from tournaments.ratings.models import RatingPool
from tournaments.seasons.models import Season
from tournaments.seasons.page_versions import CLUB_TABLES, NAME_TABLES


def pool_key(kind: str, pool: str) -> Hashable:
    """Return the version of a pool's ratings, and of the results that have not changed them yet: those of open rounds.
    Two queries."""
    version = RatingPool.objects.filter(kind=kind, pool=pool).values_list("stream__version", flat=True).first()
    seasons = Season.objects.filter(kind=kind, pool=pool).order_by()
    return version, tuple(seasons.aggregate(n=Count("pk"), events=Sum("stream__version")).values())


def pools_key() -> Hashable:
    """Return the version of all ratings, with the names of the rated. Two queries."""
    return tuple(RatingPool.objects.order_by("pk").values_list("pk", "stream__version")), tables_version(*NAME_TABLES)


def player_key(player: int) -> Hashable:
    """Return the version of a player's ratings and seasons. Two queries.

    A rank depends on all ratings of its pool, and a rating that is not final yet on all seasons with this pool."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH pools AS (
                SELECT pool.kind, pool.pool, stream.version FROM ratings_rating rating
                JOIN ratings_ratingpool pool ON pool.id = rating.pool_id JOIN stream ON stream.id = pool.stream_id
                WHERE rating.player_id = %(player)s
            ), seasons AS (
                SELECT stream.version FROM seasons_season season JOIN stream ON stream.id = season.stream_id
                WHERE (season.kind, season.pool) IN (SELECT kind, pool FROM pools)
                   OR season.id IN (SELECT season_id FROM seasons_entrant WHERE player_id = %(player)s)
            )
            SELECT (SELECT count(*) FROM pools), (SELECT sum(version) FROM pools),
                   (SELECT count(*) FROM seasons), (SELECT sum(version) FROM seasons)
            """,
            {"player": player},
        )
        return tuple(map(str, cursor.fetchone())), tables_version(*CLUB_TABLES)
