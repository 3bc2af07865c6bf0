"""The people of these tests: Martha and Laura play, Otto watches."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from games.models import Deal, Game, Player
from games.play import services as play
from scorebook_games.gamelog import visibility
from tests.factories.games import TO_THE_END, play_game


@pytest.fixture
def martha(db: None) -> Player:
    return Player.objects.create(name="Martha", user=User.objects.create_user("martha"))


@pytest.fixture
def laura(db: None) -> Player:
    return Player.objects.create(name="Laura", user=User.objects.create_user("laura"))


@pytest.fixture(scope="module")
def cast(kept: None) -> dict[str, int]:
    """Return the ids of Martha, of Laura and of their finished game, which all tests of a file share."""
    players = [
        Player.objects.create(name=each, user=User.objects.create_user(each.lower())) for each in ("Martha", "Laura")
    ]
    game = play_on(open_game(players))
    return {**{player.name: player.pk for player in players}, "finished": game.pk}


def open_game(players: list[Player], kind: str = "chinese_ten", **terms: object) -> Game:
    """Open a game. The deal is always the same."""
    return play.open_game(kind=kind, players=players, deal=Deal.objects.create(seed=bytes(range(32))), terms=terms)


def play_on(game: Game, moves: int = TO_THE_END) -> Game:
    """Play first legal moves, at most so many or to the end of the game, and return the game. Only so many are stored
    one by one."""
    if moves == TO_THE_END:
        return play_game(game)
    for _ in range(moves):
        fold = play.load_game(game)
        if not fold.to_act():
            break
        seat = fold.to_act()[0]
        play.play_move(game=game, seat=seat, text=visibility.legal_moves(fold, seat)[0], expected_version=fold.version)
    game.refresh_from_db()
    return game
