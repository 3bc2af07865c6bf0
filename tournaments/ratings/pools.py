"""Rating pools. This module alone appends to their streams; it also writes their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import IntegrityError, transaction

from games.common import clock
from games.common.bulk_insert import copy_new
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from tournaments.ratings import elo
from tournaments.ratings.elo import Corrected, PlayerRating, RatingEvent, RatingStep
from tournaments.ratings.models import Rating, RatingChange, RatingPool
from tournaments.ratings.rated_events import RatingCalls
from tournaments.seasons.models import Season
from tournaments.seasons.stream import append_events


class PoolWriter(RatingCalls):
    """Follows a season, and writes into its pool what new events call for (`tournaments.seasons.aggregate`)."""

    def write(self, season: Season) -> None:
        """Append the rating events to the season's pool, and update its rows."""
        if self.called and season.terms["rated"]:
            append_rating_events(lock_pool(season.kind, season.pool), self.called)


def lock_pool(kind: str, pool: str) -> RatingPool:
    """Return the rating pool, created if there is none, locked until the transaction ends, so that its events have one
    order."""
    locked = RatingPool.objects.select_for_update(no_key=True, of=("self",)).select_related("stream")
    pool_row = locked.filter(kind=kind, pool=pool).first()
    if pool_row is not None:
        return pool_row
    try:
        with transaction.atomic():
            stream = eventlog.create(subject=Stream.Subject.RATING_POOL, at=clock.now())
            RatingPool.objects.create(kind=kind, pool=pool, stream=stream)
    except IntegrityError:
        pass  # another process has just created it
    return locked.get(kind=kind, pool=pool)


def append_rating_events(pool: RatingPool, events: Sequence[RatingEvent]) -> None:
    """Append `events` to the pool, which the caller has locked, and update its rows."""
    if not events:
        return
    version = append_events(pool.stream, events, clock.now())
    earlier = _changes_of(pool, [event.game for event in events if isinstance(event, Corrected)])
    players = {player for event in events for player, _ in event.places} | {change.player for change in earlier}
    known = Rating.objects.filter(pool=pool, player__in=players)
    start = {row.player_id: PlayerRating(row.rating, row.games) for row in known}
    after, changes = elo.fold_ratings(events, start, version - len(events), earlier)
    write_ratings(pool, {change.player: after[change.player] for change in changes}, changes)


def _changes_of(pool: RatingPool, games: Sequence[int]) -> list[RatingStep]:
    """Return all rating changes by these games so far, in order."""
    if not games:
        return []
    rows = RatingChange.objects.filter(pool=pool, game__in=games).order_by("position", "pk")
    return [
        RatingStep(row.position, row.game_id, row.player_id, row.before, row.after, row.games, row.counted)
        for row in rows
    ]


def write_ratings(pool: RatingPool, rated: dict[int, PlayerRating], changes: Iterable[RatingStep]) -> None:
    """Write the rows of these players' ratings and of these changes."""
    Rating.objects.bulk_create(
        [
            Rating(pool=pool, player_id=player, rating=one.rating, games=one.games)
            for player, one in sorted(rated.items())
        ],
        update_conflicts=True,
        unique_fields=["pool", "player"],
        update_fields=["rating", "games"],
    )
    copy_new(
        [
            RatingChange(
                pool=pool,
                player_id=change.player,
                game_id=change.game,
                position=change.position,
                before=change.before,
                after=change.after,
                games=change.games,
                counted=change.counted,
            )
            for change in changes
        ]
    )
