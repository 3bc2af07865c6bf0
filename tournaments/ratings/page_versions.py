"""What rendered ratings depend on (`games.common.page_cache`)."""

from __future__ import annotations

from collections.abc import Hashable

from django.db import connection

from games.common.table_changes import EVERYTHING, NAME_TABLES, tables_version
from tournaments.seasons.page_versions import CLUB_TABLES


def pool_key(kind: str, pool: str) -> Hashable:
    """Return the version of a pool's ratings, and of the results that have not changed them yet: those of open rounds.
    One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*), coalesce(sum(version), 0)::bigint FROM stream WHERE id IN (
                SELECT stream_id FROM ratings_ratingpool WHERE kind = %(kind)s AND pool = %(pool)s
                UNION ALL SELECT stream_id FROM seasons_season WHERE kind = %(kind)s AND pool = %(pool)s
            )
            """,
            {"kind": kind, "pool": pool},
        )
        return tuple(cursor.fetchone())


def pools_key() -> Hashable:
    """Return the version of all ratings, with the names of the rated. Two queries."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), coalesce(sum(version), 0)::bigint FROM stream"
            " WHERE id IN (SELECT stream_id FROM ratings_ratingpool)"
        )
        return tuple(cursor.fetchone()), tables_version(*NAME_TABLES)


def player_key(player: int) -> Hashable:
    """Return the version of a player's ratings and seasons. One query.

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
                   (SELECT count(*) FROM seasons), (SELECT sum(version) FROM seasons), notes.count, notes.total
            FROM (
                SELECT count(*), coalesce(sum(id), 0)::bigint AS total FROM common_tablechange
                WHERE name = ANY(%(tables)s)
            ) notes
            """,
            {"player": player, "tables": [*CLUB_TABLES, EVERYTHING]},
        )
        return tuple(map(str, cursor.fetchone()))
