"""What is made once and put back comes back as it was, and into an empty database only."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from games import log
from games.models import Game, Player
from tests.remembered import remembered
from tests.replays.conftest import open_game, play_on

pytestmark = pytest.mark.django_db(transaction=True)


def a_game() -> None:
    made.append("made")
    play_on(open_game([Player.objects.create(name=name) for name in ("Martha", "Laura")]), 3)


made: list[str] = []


@pytest.fixture
def game(transactional_db: None) -> Game:
    remembered("a game", a_game)
    return Game.objects.get()


@pytest.mark.parametrize("time", ["first", "second", "third"])
def test_each_test_has_all_rows_and_can_go_on_from_them(game: Game, time: str) -> None:
    assert made == ["made"]
    before = [entry.event for entry in log.read(game.stream_id)]
    assert game.version == len(before)
    assert [seat.player.name for seat in game.seats.order_by("seat")] == ["Martha", "Laura"]
    play_on(game, 2)
    assert len(list(log.read(game.stream_id))) > len(before)
    assert Player.objects.create(name="Otto").pk > max(seat.player_id for seat in game.seats.all())


def test_rows_that_are_there_already_are_not_taken_for_it() -> None:
    User.objects.create_user("otto")
    with pytest.raises(AssertionError, match="auth_user"):
        remembered("a game", a_game)
