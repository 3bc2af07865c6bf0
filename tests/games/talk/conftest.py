"""Martha and Laura play a game; Otto watches it."""

from __future__ import annotations

import pytest

from games.models import Game, Player
from games.play import services as play
from tests.factories.people import browser_of, laura, martha, nobody_has_tried_before, otto

__all__ = ["browser_of", "laura", "martha", "nobody_has_tried_before", "otto"]


@pytest.fixture
def game(martha: Player, laura: Player) -> Game:
    return opened(martha, laura)


def opened(*players: Player, **terms: object) -> Game:
    """Return a running game of these players, unrated unless the terms say so."""
    return play.open_game(kind="chinese_ten", players=list(players), terms={"rated": False, **terms})


def ended(game: Game) -> Game:
    """Return the game after one of its players has resigned."""
    play.leave_game(game=game, seat=0, how="resigned")
    return play.find_game(game.public_id)
