"""What rendered pages of seasons depend on: the versions by which `games.common.page_cache` finds them again.

All rows that are a projection of a season's stream have the stream's version. Names, clubs and members have the version
of their tables. What changes without either is looked up: the state of games that are being played. A season whose
results are secret for a while is not stored at all, because they become public without an event.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.db import connection

from games.common import clock
from games.common.table_changes import EVERYTHING, NAME_TABLES

CLUB_TABLES: Final = (
    *NAME_TABLES,
    "account_emailaddress",
    "clubs_club",
    "clubs_membership",
    "clubs_joinrequest",
    "clubs_invitation",
    "seasons_league",
    "seasons_season",
    "seasons_division",
    "seasons_note",
)
MAX_LIVE_GAMES: Final = 200  # of which the state is looked up
# Asked by each request for a page, so it is SQL: Django would take longer to write it than PostgreSQL to answer.
_STATE: Final = """
    SELECT season.id, stream.version, season.status, season.kind, season.pool, season.format,
           coalesce(season.settings ->> 'luck', ''), coalesce((season.terms ->> 'watch_delay')::int, 0),
           coalesce((season.terms ->> 'sealed')::boolean, false), season.finished_at, notes.count, notes.total
    FROM seasons_season season
    JOIN stream ON stream.id = season.stream_id
    CROSS JOIN (
        SELECT count(*), coalesce(sum(id), 0)::bigint AS total FROM common_tablechange WHERE name = ANY(%s)
    ) notes
"""
_SEASONS: Final = """
    SELECT count(*) FILTER (
        WHERE (coalesce((season.terms ->> 'watch_delay')::int, 0) > 0 OR (season.terms ->> 'sealed')::boolean)
          AND (season.finished_at IS NULL OR season.finished_at >=
               %s - make_interval(secs => coalesce((season.terms ->> 'watch_delay')::int, 0)))
    ), count(*), coalesce(sum(stream.version), 0)::bigint
    FROM seasons_season season
    JOIN stream ON stream.id = season.stream_id
    JOIN seasons_league league ON league.id = season.league_id JOIN clubs_club club ON club.id = league.club_id
    WHERE club.slug = %s
"""
_BY_PATH: Final = """
    JOIN seasons_league league ON league.id = season.league_id JOIN clubs_club club ON club.id = league.club_id
    WHERE club.slug = %s AND league.slug = %s AND season.slug = %s
"""
_BY_ID: Final = "WHERE season.id = %s"


class SeasonState(NamedTuple):
    """A season with the version of its stream, and the version of the tables that its pages show."""

    pk: int
    version: int
    status: str
    kind: str
    pool: str
    format: str
    luck: str
    delay: int
    sealed: bool
    finished_at: datetime | None
    changes: int
    sum_of_changes: int

    @property
    def is_secret(self) -> bool:
        """Whether results may become public without an event: games are sealed, or watched with a delay."""
        if not self.delay and not self.sealed:
            return False
        return self.finished_at is None or self.finished_at + timedelta(seconds=self.delay) >= clock.now()

    @property
    def key(self) -> Hashable:
        """The version of all rows of the season, and of the tables that were asked for."""
        return self.pk, self.version, self.changes, self.sum_of_changes


def season_at(club: str, league: str, season: str, *tables: str) -> SeasonState | None:
    """Return the state of the season at this address, with the version of `CLUB_TABLES` and of `tables`; None if there
    is none, or if its pages may not be stored. One query."""
    return _state(_STATE + _BY_PATH, (club, league, season), tables)


def season_with(pk: int, *tables: str) -> SeasonState | None:
    """Return the state of the season with this id in the same way."""
    return _state(_STATE + _BY_ID, (pk,), tables)


def _state(statement: str, named: tuple[str | int, ...], tables: tuple[str, ...]) -> SeasonState | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [[*CLUB_TABLES, *tables, EVERYTHING], *named])
        row = cursor.fetchone()
    found = SeasonState(*row) if row else None
    return None if found is None or found.is_secret else found


def seasons_key(club: str) -> Hashable:
    """Return the version of a club's seasons; None if the pages of one of them may not be stored. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_SEASONS, [clock.now(), club])
        secret, *found = cursor.fetchone()
    return None if secret else tuple(found)


_LIVE_GAMES: Final = """
    SELECT game.id, game.status, game.failures > 0, game.leased_by <> '', game.begins_at, game.finished_at
    FROM seasons_matchgame place JOIN games_game game ON game.id = place.game_id
    WHERE place.match_id IN (
        SELECT id FROM ({matches}) shown WHERE finished_at IS NULL
    )
    ORDER BY game.id LIMIT %(most)s
"""
_OF_ROUND: Final = """
    SELECT id, finished_at FROM seasons_match WHERE round_id = (
        SELECT round.id FROM seasons_round round JOIN seasons_division division ON division.id = round.division_id
        WHERE division.season_id = %(season)s AND round.status <> 'undone'
          AND %(division)s IN (0, division.number) AND %(round)s IN (0, round.number)
        ORDER BY division.number, round.number DESC LIMIT 1
    ) ORDER BY "table" OFFSET %(first)s LIMIT %(size)s
"""
_OF_SEASON: Final = """
    SELECT played.id, played.finished_at FROM seasons_match played
    JOIN seasons_round round ON round.id = played.round_id
    JOIN seasons_division division ON division.id = round.division_id
    WHERE division.season_id = %(season)s AND round.status = 'open'
"""


def live_games_of_round(season: int, division: int, round: int, page: int, size: int) -> Hashable:
    """Return the state of the games that are not over on a page of a round's matches; of the first division and the
    latest round for 0. One query."""
    named = {"season": season, "division": division, "round": round, "first": max(page - 1, 0) * size, "size": size + 1}
    return _live_games(_OF_ROUND, named)


def live_games_of_season(season: int) -> Hashable:
    """Return the state of the games that are being played in a season. One query."""
    return _live_games(_OF_SEASON, {"season": season})


def _live_games(matches: str, named: dict[str, int]) -> Hashable:
    with connection.cursor() as cursor:
        cursor.execute(_LIVE_GAMES.format(matches=matches), {**named, "most": MAX_LIVE_GAMES})
        return tuple(cursor.fetchall())
