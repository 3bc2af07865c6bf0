"""How a bot's rating went from version to version in one rating pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import connection
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from games.common.labels import number_label
from games.models import BotVersion
from scorebook_games.registry import KINDS
from tournaments.ratings import charts
from tournaments.ratings.models import Rating, RatingPool

MAX_VERSIONS_CHARTED: Final = 6  # the latest that are rated in the pool
MAX_STEPS_A_VERSION: Final = 60


@dataclass(frozen=True, slots=True)
class RatingCurve:
    """The ratings of a bot's latest versions in a pool, as a chart. `pools` are all in which the bot is rated."""

    pools: list[RatingPool]
    pool: RatingPool
    games: int
    wide: str
    narrow: str

    @property
    def title(self) -> str:
        return KINDS[self.pool.kind].spec.title


class _Change(NamedTuple):
    pool: int
    player: int
    before: float
    after: float
    at: datetime | None


_LATEST: Final = """
    SELECT rated.pool, rated.player, latest.before, latest.after, game.finished_at
    FROM unnest(%s::bigint[], %s::bigint[]) AS rated(pool, player)
    CROSS JOIN LATERAL (
        SELECT position, before, after, game_id FROM ratings_ratingchange
        WHERE pool_id = rated.pool AND player_id = rated.player ORDER BY position DESC LIMIT %s
    ) latest JOIN games_game game ON game.id = latest.game_id
    ORDER BY latest.position
"""


def rated_pools(versions: Sequence[BotVersion]) -> list[Rating]:
    """Return the ratings of these versions, the newest version first within a pool. One query."""
    players = {version.player.pk: version.number for version in versions}
    rows = list(Rating.objects.filter(player__in=players, pool__kind__in=KINDS).select_related("pool"))
    return sorted(rows, key=lambda row: (row.pool_id, -players[row.player_id]))


def rating_curve(name: str, versions: Sequence[BotVersion], slug: str = "") -> RatingCurve | None:
    """Return the chart of the bot called `name` in the pool with this slug, by default in that with most games; None if
    there is nothing to draw. Two queries."""
    ratings = rated_pools(versions)
    games: dict[int, int] = {}
    for row in ratings:
        games[row.pool_id] = games.get(row.pool_id, 0) + row.games
    pools = {row.pool_id: row.pool for row in ratings}
    if not pools:
        return None
    usual = max(pools, key=lambda pk: (games[pk], -pk))
    chosen = next((pk for pk, pool in pools.items() if str(pool.slug) == slug), usual)
    numbers = {version.player.pk: version.number for version in versions}
    players = [row.player_id for row in ratings if row.pool_id == chosen][:MAX_VERSIONS_CHARTED]
    changes = latest_changes([(chosen, player) for player in players])
    if not changes:
        return None
    changed = {change.player for change in changes}
    series = [_series(player, numbers[player], changes) for player in players if player in changed]
    days = [timezone.localtime(change.at).date() if change.at else None for change in changes]
    labels = [date_format(day, "DAY_FORMAT") if day else "" for day in days]
    labels = ["", *labels]
    words = _("Rating of each version of {name} over {games}.")
    title = words.format(name=name, games=number_label(len(changes), "game"))
    return RatingCurve(
        pools=[pools[pk] for pk in sorted(pools, key=lambda pk: -games[pk])],
        pool=pools[chosen],
        games=len(changes),
        wide=charts.line_chart(series, labels, charts.WIDE_FRAME, css="only-wide", title=title),
        narrow=charts.line_chart(series, labels, charts.NARROW_FRAME, css="only-narrow", title=title),
    )


def ratings_data(versions: Sequence[BotVersion]) -> list[dict[str, Any]]:
    """Return the ratings of these versions in each pool, with their latest changes, as JSON data. Two queries."""
    ratings = rated_pools(versions)
    numbers = {version.player.pk: version.number for version in versions}
    steps: dict[tuple[int, int], list[float]] = {}
    for change in latest_changes([(row.pool_id, row.player_id) for row in ratings]):
        steps.setdefault((change.pool, change.player), []).append(change.after)
    return [
        {
            "version": numbers[row.player_id],
            "kind": row.pool.kind,
            "pool": row.pool.pool,
            "rating": row.rating,
            "games": row.games,
            "steps": steps.get((row.pool_id, row.player_id), []),
        }
        for row in ratings
    ]


def latest_changes(rated: Sequence[tuple[int, int]]) -> list[_Change]:
    """Return the latest changes of these ratings, each (pool, player), in the order of their pool. One query."""
    pools, players = [pool for pool, _player in rated], [player for _pool, player in rated]
    with connection.cursor() as cursor:
        cursor.execute(_LATEST, [pools, players, MAX_STEPS_A_VERSION])
        return [_Change(*row) for row in cursor.fetchall()]


def _series(player: int, number: int, changes: Sequence[_Change]) -> charts.Series:
    """Return the line of one version over all changes; it begins with the rating before its first one."""
    values: list[float | None] = [None] * (len(changes) + 1)
    own = [(step, change) for step, change in enumerate(changes, 1) if change.player == player]
    first, change = own[0]
    values[first - 1] = change.before
    for step, each in own:
        values[step] = each.after
    return charts.Series(f"v{number}", tuple(values))
