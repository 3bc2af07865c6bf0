"""Rates casual games: those of two people who both asked for a rated game (`games.lobby.seekers`).

Each kind has a pool of its own for them. Its events come from the logs of games that are over, each once, in the order
in which they are found. That order stands in the pool's stream, which is folded as those of seasons are.

A game counts as its log says. One that was aborted does not count, nor one to which somebody never came. Games with
guests and bots, rematches, continuations and games at tables that people set up are never rated, so nobody chooses whom
they play for a rating.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet

from games.lobby import services as lobby
from games.lobby.models import OpenTable
from games.models import Game
from games.play.departures import FORFEITED
from tournaments.core.no_shows import absent_seats
from tournaments.ratings.elo import Rated, RatingEvent
from tournaments.ratings.pools import append_rating_events, lock_pool

CASUAL_POOL: Final = "casual"
BATCH_SIZE: Final = 100


def due_tables() -> QuerySet[OpenTable]:
    """Return the rated tables whose games are over and not settled, in the order of their ends."""
    public = Q(game__status=Game.Status.FINISHED, game__deal__revealed_at__isnull=False)
    over = lobby.rated_tables().filter(public | Q(game__status=Game.Status.ABORTED), settled_at=None)
    return over.order_by("game__finished_at", "game")


def rate_casual_games() -> int:
    """Rate the casual games that are over, each once; return how many were settled."""
    kinds = sorted(set(due_tables().order_by().values_list("kind", flat=True)))
    return sum(_rate_batch(kind) for kind in kinds)


def _rate_batch(kind: str) -> int:
    with transaction.atomic():
        due = due_tables().filter(kind=kind).select_for_update(of=("self",), skip_locked=True)
        tables = list(due.select_related("game").prefetch_related("game__seats")[:BATCH_SIZE])
        if events := list(casual_events(tables)):
            append_rating_events(lock_pool(kind, CASUAL_POOL), events)
        lobby.mark_settled(tables)
    return len(tables)


def settled_tables() -> QuerySet[OpenTable]:
    """Return the tables whose games were rated, or found not to count."""
    settled = lobby.rated_tables().filter(settled_at__isnull=False)
    return settled.select_related("game").prefetch_related("game__seats").order_by("pk")


def casual_events(tables: Iterable[OpenTable]) -> Iterable[RatingEvent]:
    """Yield the rating events of the games of `tables`, loaded with their seats, that count."""
    for game in (table.game for table in tables if table.game):
        if game.status == Game.Status.FINISHED and not _somebody_never_came(game):
            yield Rated.of(game.pk, [(seat.player_id, seat.placing or 1) for seat in game.seats.all()])


def _somebody_never_came(game: Game) -> bool:
    return any(seat.left == FORFEITED for seat in game.seats.all()) and bool(absent_seats(game))
