"""A game of Plates with a blunder: at event 49 seat 0 loses a game that it could have won for certain."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from games.models import Deal, Game, Player
from games.play import services as play
from scorebook_games.gamelog.fold import Fold
from tests.scorebook_games.review.reviewed_games import played

NUMBER: Final = 4
VERSION: Final = 48
BUDGET: Final = 80_000  # positions with which a review finds the blunder


def open_blunder(players: Sequence[Player]) -> Game:
    """Play the game between these players to its end, move by move."""
    seed = random.Random(f"reviewed plates {NUMBER}").randbytes(32)
    log = played("plates", [0.3, 0.0], NUMBER, rounds=1)
    game = play.open_game(
        kind="plates", players=list(players), deal=Deal.objects.create(seed=seed), options={"rounds": 1}
    )
    fold = Fold(log[0])
    for version, event in enumerate(log[1:], 2):
        if version > game.version:
            seat, action = fold.rules.action_of(fold.state, event)
            text = fold.rules.move_text(fold.state, action)
            play.play_move(game=game, seat=seat, text=text, expected_version=game.version)
        fold.apply(event)
    return game
