"""A move reads the game's log once, for all clocks and paces. A turn, the page and the stream do so too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.clocks import services as clocks
from games.clocks.reckoning import Reckoning
from games.common import clock
from games.models import Deal, Game
from games.play import services as play
from replays.stream.game_tail import GameTail, read_news
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import Batch
from tests.games.conftest import Person

pytestmark = pytest.mark.django_db

NO_CLOCK: dict[str, Any] = {}
BANK = {"bank_seconds": 600, "move_seconds": 30}
DAYS = {"move_days": 3}


def readings(call: Callable[[], object]) -> int:
    """Return how often `call` reads events from the log."""
    with CaptureQueriesContext(connection) as asked:
        call()
    return sum(" FROM batch" in query["sql"] for query in asked)


@pytest.fixture(params=[NO_CLOCK, BANK, DAYS], ids=["no clock", "bank", "days"])
def game(person: Person, deal: Deal, request: pytest.FixtureRequest) -> Game:
    players = [person("Martha"), person("Laura")]
    return play.open_game(kind="chinese_ten", players=players, deal=deal, terms=request.param)


def test_a_move_a_turn_and_the_page_read_the_log_once_each(game: Game, client: Client) -> None:
    seat = game.seats.get(seat=0)
    assert seat.player.user
    client.force_login(seat.player.user)
    fold = play.load_game(game)
    move = {"move": visibility.legal_moves(fold, 0)[0], "expected_version": fold.version}
    address = f"/api/v1/games/{game.public_id}/"
    answers = []

    def get(where: str) -> Callable[[], None]:
        return lambda: answers.append(client.get(where).status_code)

    def post() -> None:
        answers.append(client.post(f"{address}moves/", move, content_type="application/json").status_code)

    assert [readings(each) for each in (post, get(f"{address}turn/"), get(f"/games/{game.public_id}/"))] == [1, 1, 1]
    assert answers == [201, 200, 200]


def test_a_live_move_reads_the_log_once(grab: str, person: Person, client: Client) -> None:
    """The waiting time, the bank and the answered turn are computed from one reading."""
    players = [person("Martha"), person("Laura")]
    game = play.open_game(kind=grab, players=players, terms={"pace": "live", "rated": False, **BANK})
    for seat in (0, 1):
        play.mark_ready(game=game, seat=seat)
    assert game.deadline
    with clock.frozen_at(game.deadline):
        play.expire_clocks(game=game)
    assert players[0].user
    client.force_login(players[0].user)
    address = f"/api/v1/games/{game.public_id}/moves/"
    answers = []

    def post() -> None:
        move = {"move": "grab 1", "expected_version": game.version}
        answers.append(client.post(address, move, content_type="application/json").status_code)

    assert (readings(post), answers) == (1, [201])


def test_a_watched_game_takes_each_batch_once_and_shows_the_same_clocks(
    person: Person, deal: Deal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a move, other screens read and fold only the new batch."""
    game = play.open_game(kind="chinese_ten", players=[person("Martha"), person("Laura")], deal=deal, terms=BANK)
    tail, taken, take = GameTail(game), list[int](), Reckoning.take

    def counted(reckoning: Reckoning, batch: Batch) -> None:
        taken.extend(entry.version for entry in batch)
        take(reckoning, batch)

    for _move in range(4):
        with monkeypatch.context() as patched:
            patched.setattr(Reckoning, "take", counted)
            found = read_news(tail)
        tail.take(found, stirred=False)
        shown = found.clock
        fold = play.load_game(game)
        assert shown
        assert shown == clocks.clock_data(game, tail.log, fold, visibility.PUBLIC, shown["at"])
        [seat] = fold.awaited()
        move = visibility.legal_moves(fold, seat)[0]
        play.play_move(game=game, seat=seat, text=move, expected_version=fold.version)

    assert taken == [entry.version for entry in tail.entries][1:]
