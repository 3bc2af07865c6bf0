"""Casual games of two who both asked for a rated game have a pool of their own (docs/explanation/ratings.md)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from games.common import clock
from games.lobby import seekers
from games.lobby.models import OpenTable
from games.models import Game, Player
from games.play import continuation, offers
from games.play import services as play
from games.play.departures import RESIGNED
from tests.assertions.page import Page
from tests.factories.games import play_game
from tests.factories.people import browser_of, joined
from tournaments import tasks
from tournaments.maintenance.rebuild import find_differences
from tournaments.ratings import casual
from tournaments.ratings.models import Rating, RatingChange, RatingPool

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(db: None) -> Game:
    """Return a game that has just begun, between Martha and Laura, who both asked for a rated one."""
    return rated_game(joined("Martha"), joined("Laura"))


def rated_game(one: Player, other: Player, pace: str = "day") -> Game:
    assert seekers.seek(player=one, kind="chinese_ten", pace=pace, rated=True) is None
    game = seekers.seek(player=other, kind="chinese_ten", pace=pace, rated=True)
    assert game
    return game


def settled(game: Game) -> bool:
    return OpenTable.objects.get(game=game).settled_at is not None


def test_a_finished_game_is_rated_once_in_the_pool_of_casual_games(game: Game) -> None:
    play_game(game)
    tasks.advance()
    tasks.advance()
    pool = RatingPool.objects.get()
    assert pool.slug == "chinese_ten-casual"
    assert pool.stream.version == 1
    before_and_after = RatingChange.objects.values_list("before", "after")
    assert sorted(before_and_after) in ([(1500, 1480), (1500, 1520)], [(1500, 1500), (1500, 1500)])
    assert list(Rating.objects.values_list("games", flat=True)) == [1, 1]


def test_games_are_rated_in_the_order_of_their_ends(game: Game) -> None:
    ines, otto = joined("Ines"), joined("Otto")
    later = rated_game(ines, otto)
    play_game(later)
    with clock.frozen_at(clock.now() + timedelta(seconds=5)):
        play_game(game)
        assert casual.rate_casual_games() == 2
    order = RatingChange.objects.order_by("position").values_list("game", flat=True).distinct()
    assert list(order) == [later.pk, game.pk]


def test_whoever_resigns_loses_rating(game: Game) -> None:
    play_game(game, moves=4)
    play.leave_game(game=game, seat=0, how=RESIGNED)
    casual.rate_casual_games()
    assert RatingChange.objects.get(player=game.seats.get(seat=0).player).after == 1480


def abort(game: Game) -> None:
    play_game(game, moves=2)
    offers.offer_abort(game=game, seat=0)
    offers.accept_abort(game=game, seat=1)


def stay_away(game: Game) -> None:
    with clock.frozen_at(clock.now() + timedelta(days=40)):
        play.expire_due_games()


@pytest.mark.parametrize("ends", [abort, stay_away], ids=lambda ends: ends.__name__)
def test_a_game_that_was_not_played_is_settled_without_ratings(game: Game, ends: Callable[[Game], None]) -> None:
    ends(game)
    game.refresh_from_db()
    assert game.status != Game.Status.PLAYING
    assert casual.rate_casual_games() == 1
    assert settled(game)
    assert not RatingPool.objects.exists()


def test_a_rated_game_does_not_end_because_one_player_dislikes_the_cards(game: Game) -> None:
    offers.offer_abort(game=game, seat=0)
    game.refresh_from_db()
    assert game.status == Game.Status.PLAYING


def test_what_follows_a_rated_game_is_not_rated(game: Game) -> None:
    """The players of a rematch chose each other, and whoever plays a game on may know its seed."""
    play_game(game)
    assert offers.offer_rematch(game=game, seat=0) is None
    rematch = offers.offer_rematch(game=game, seat=1)
    player = game.seats.get(seat=0).player
    assert rematch
    assert not rematch.terms["rated"]
    played_on, _new = continuation.continue_from(game, game.version // 2, 0, player)
    assert not played_on.terms["rated"]


def test_rows_are_made_again_from_the_pools_stream(game: Game) -> None:
    play_game(game)
    casual.rate_casual_games()
    rated = sorted(Rating.objects.values_list("player", "rating", "games"))
    RatingChange.objects.all().delete()
    Rating.objects.all().delete()
    assert len(list(find_differences(write=True))) == 4
    assert sorted(Rating.objects.values_list("player", "rating", "games")) == rated
    assert not list(find_differences(write=True))


@pytest.mark.django_db(transaction=True)  # a comparison is one snapshot
def test_a_comparison_holds_the_pool_against_the_casual_games(game: Game) -> None:
    play_game(game)
    OpenTable.objects.filter(game=game).update(settled_at=clock.now())
    assert "is missing; 1 games belong to it" in " ".join(find_differences())
    OpenTable.objects.filter(game=game).update(settled_at=None)
    casual.rate_casual_games()
    assert list(find_differences()) == []
    OpenTable.objects.filter(game=game).update(settled_at=None)
    assert "no casual game calls for it" in " ".join(find_differences())


def test_pages_and_api_show_the_pool_by_its_name(game: Game) -> None:
    play_game(game)
    martha, address = game.seats.get(player__name="Martha").player, f"/games/{game.public_id}/"
    browser = browser_of(martha)
    shown = Page.of(browser.get(address)).text
    assert "Finished Rated" in shown
    assert "Ratings change in a moment." in shown
    casual.rate_casual_games()
    assert "Ratings change in a moment." not in Page.of(browser.get(address)).text
    assert "Chinese Ten, casual games" in Page.of(browser.get(f"/players/{martha.pk}/")).text
    assert "Chinese Ten, casual games" in Page.of(browser.get("/ratings/?pool=chinese_ten-casual")).text
    rows = browser.get("/api/v1/ratings/?pool=casual").json()["results"]
    assert {row["player"]["name"] for row in rows} == {"Martha", "Laura"}
