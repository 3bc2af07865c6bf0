"""The seats of games with their players, who are public."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from games.common.prepared import attach, prepared
from games.models import Game, Seat


def attach_seats(games: Sequence[Game]) -> Sequence[Game]:
    """Give games their seats with players, as `prefetch_related` does. One query."""
    attach(games, "seats", _seats(games=[game.pk for game in games]), "game")
    return games


def seats_of(game: Game) -> list[Seat]:
    """Return the seats of a game with their players, in order. One query."""
    return list(_seats(games=[game.pk]))


@prepared
def _seats(*, games: list[int]) -> QuerySet[Seat]:
    return Seat.objects.filter(game__in=games).select_related("player__bot_version").order_by("seat")
