"""Games of one person that begin at nearly the same time. Nothing forbids them, but people are warned."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.db.models import QuerySet

from games.models import Game, Seat

CLASH_WINDOW: Final = timedelta(minutes=30)  # games that begin within this time of one another can't both be played


def clashing_seats(game: Game, users: Collection[int]) -> QuerySet[Seat]:
    """Return the seats of these users in other games that begin at nearly the same time as `game`, which waits for its
    time."""
    assert game.begins_at
    earliest, latest = game.begins_at - CLASH_WINDOW, game.begins_at + CLASH_WINDOW
    near = Seat.objects.filter(
        game__begins_at__gt=earliest, game__begins_at__lt=latest, left="", player__user__in=users
    )
    return near.exclude(game=game).select_related("game", "player").order_by("game__begins_at", "game")
