"""A person's games in a league: where they are found, until when a move is due, and whom the league waits for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games import clock
from games.accounts import notices, people
from games.accounts.models import Notice
from games.models import Game, Player
from tests.page import Page
from tests.tournaments.club import BEGIN, house_bot
from tournaments import director, seasons
from tournaments.models import League, MatchGame

pytestmark = pytest.mark.django_db

A_DAY = timedelta(days=1)


@pytest.fixture
def martha(db: None) -> Player:
    return people.welcome(User.objects.create_user("martha"), "Martha")


@pytest.fixture
def game(league: League, martha: Player) -> Game:
    """Martha's first game of a league by correspondence, opened with its round."""
    with clock.at(BEGIN):
        season = seasons.create_season(
            league=league, name="Autumn", kind="chinese_ten", terms={"move_days": 2}, starts_at=BEGIN
        )
        for player in (martha, house_bot("Gannet")):
            seasons.join(season=season, player=player)
        seasons.start(season=season)
        director.advance()
    return Game.objects.get(seats__player=martha, seats__seat=0)  # of the two of the match, that where she begins


def test_a_league_game_stands_among_ones_own_with_its_deadline(game: Game, martha: Player) -> None:
    client = Client()
    assert martha.user
    client.force_login(martha.user)
    with clock.at(BEGIN + A_DAY):
        page = Page.of(client.get("/me/games/"))
        listed = client.get("/api/v1/me/games/").json()["results"]
    assert f"/games/{game.public_id}/" in page.links("/games/")
    shown = next(each for each in listed if each["id"] == game.public_id)
    assert (shown["state"], shown["seconds_left"]) == ("mine", 24 * 60 * 60)
    notices.tell_turns()  # as the sweep does
    assert Notice.objects.filter(user=martha.user, subject="your_turn", game=game).count() == 1


def test_the_match_leads_to_its_game(game: Game, martha: Player) -> None:
    match = MatchGame.objects.get(game=game).match
    page = Page.of(Client().get(f"/matches/{match.pk}/"))
    assert f"/games/{game.public_id}/" in page.links("/games/")
    assert "Martha" in page.text
