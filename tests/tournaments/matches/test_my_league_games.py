"""A person's games in a league: where they are found, until when a move is due, and whom the league waits for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.cache import caches
from django.test import Client

from games.accounts import mygames, notices, people
from games.accounts.models import Notice
from games.common import clock, page_cache
from games.models import Deal, Game, Player
from games.play import services as play
from games.play.stakes import stakes_of
from games.visibility import acting
from scorebook_games.gamelog import visibility
from scorebook_games.presentation.base import Card
from scorebook_games.presentation.cards import card_face
from tests.assertions.page import Page
from tests.fixtures.saved_rows import world
from tests.tournaments.club import BEGIN, Start, builtin_bot, play_season
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.ratings.models import RatingChange
from tournaments.seasons.models import League, MatchGame
from tournaments.standings import what_if_views

pytestmark = pytest.mark.django_db

A_DAY = timedelta(days=1)


@pytest.fixture
@world
def martha(db: None) -> Player:
    return people.create_profile_and_player(User.objects.create_user("martha"), "Martha")


@pytest.fixture
@world
def game(league: League, martha: Player) -> Game:
    """Return the game of a match by correspondence in which Martha begins. It was opened with its round."""
    with clock.frozen_at(BEGIN):
        season = seasons.create_season(
            league=league, name="Autumn", kind="chinese_ten", terms={"move_days": 2}, starts_at=BEGIN
        )
        entries.enter_players(season=season, players=[martha, builtin_bot("Gannet")])
        seasons.start_season(season=season)
        director.advance()
    return Game.objects.get(seats__player=martha, seats__seat=0)  # one of the two games of the match


def test_a_league_game_stands_among_ones_own_with_its_deadline(game: Game, martha: Player) -> None:
    client = Client()
    assert martha.user
    client.force_login(martha.user)
    with clock.frozen_at(BEGIN + A_DAY):
        page = Page.of(client.get("/me/games/"))
        listed = client.get("/api/v1/me/games/").json()["results"]
    assert f"/games/{game.public_id}/" in page.links("/games/")
    shown = next(each for each in listed if each["id"] == game.public_id)
    assert (shown["state"], shown["seconds_left"]) == ("mine", 24 * 60 * 60)
    notices.notify_turns()  # as the sweep does
    assert Notice.objects.filter(user=martha.user, subject="your_turn", game=game).count() == 1


def test_the_match_leads_to_its_game(game: Game, martha: Player) -> None:
    match = MatchGame.objects.get(game=game).match
    page = Page.of(Client().get(f"/matches/{match.pk}/"))
    assert f"/games/{game.public_id}/" in page.links("/games/")
    assert "Martha" in page.text


def test_home_shows_a_member_what_waits_and_a_stranger_what_scorebook_is(game: Game, martha: Player) -> None:
    client = Client()
    assert martha.user
    client.force_login(martha.user)
    with clock.frozen_at(BEGIN + A_DAY):
        answers = [client.get("/"), Client().get("/")]
        play.leave_game(game=game, seat=0, how="resigned")
        answers.append(client.get("/"))
    mine, theirs, later = map(Page.of, answers)
    assert (1, "What waits for you") in mine.headings
    assert mine.faults() == []
    assert "Chinese Ten with Gannet" in mine.text
    assert f"/games/{game.public_id}/" in mine.links("/games/")
    assert "You need no account" not in mine.text
    assert (1, "Leagues for your card club.") in theirs.headings
    assert "Nothing waits for you now." in later.text
    titles = [answer.content.decode().partition("</title>")[0] for answer in answers]
    assert ["● Your turn" in title for title in titles] == [True, False, False]
    icons = [attrs["href"] for page in (mine, theirs, later) for _tag, attrs in page.tags if attrs.get("rel") == "icon"]
    assert ["favicon-turn" in icon for icon in icons] == [True, False, False]


def test_a_games_page_leads_to_match_round_season_and_club(game: Game) -> None:
    played = MatchGame.objects.select_related("match__round__division__season__league__club").get(game=game)
    season = played.match.round.division.season
    address = f"/clubs/{season.league.club.slug}/{season.league.slug}/{season.slug}/"
    for page in (f"/games/{game.public_id}/", f"/games/{game.public_id}/?viewpoint=1"):  # the second one is refused
        shown = Page.of(Client().get(page))
        links = [link for link in shown.links("/") if link.startswith(("/clubs/", "/matches/"))]
        club = f"/clubs/{season.league.club.slug}/"
        assert links[1:] == [club, address, f"{address}rounds/?round=1", f"/matches/{played.match_id}/"]
        assert f"Game {played.number}" in shown.text


def test_the_end_of_a_game_leads_its_player_to_match_review_and_the_next_game(game: Game, martha: Player) -> None:
    assert martha.user
    client = Client()
    client.force_login(martha.user)
    page = f"/games/{game.public_id}/"
    with clock.frozen_at(BEGIN + A_DAY):
        assert "Review my game" not in client.get(page).content.decode()
        play.leave_game(game=game, seat=0, how="resigned")
        (other,) = Game.objects.filter(seats__player=martha, status=Game.Status.PLAYING)
        move = visibility.legal_moves(play.load_game(other), 0)[0]  # the bot's, so that it is Martha's turn
        play.play_move(game=other, seat=0, text=move, expected_version=other.version)
        shown = Page.of(client.get(f"{page}?look=1"))
        assert {f"/games/{other.public_id}/", f"{page}review/0/"} <= set(shown.links("/games/"))
        assert "Next game: Chinese Ten with Gannet" in shown.text
        assert "Review my game" not in Client().get(page).content.decode(), "it is nobody else's game"


def test_my_game_says_of_what_season_and_round_it_is_and_shows_its_table_but_no_hand(
    game: Game, martha: Player
) -> None:
    assert martha.user
    seen = visibility.observation(play.load_game(game), 0)
    client = Client()
    client.force_login(martha.user)
    page = Page.of(client.get("/me/games/"))
    match = MatchGame.objects.get(game=game).match
    assert page.faults() == []
    assert "Autumn, round 1, game 1" in page.text
    assert f"/matches/{match.pk}/" in page.links("/matches/")
    spots = ", ".join(card_face(spot[-1]).name for spot in seen["spots"] if spot)
    assert f"On the spots: {spots}" in page.text
    (line,) = (each for each in mygames.my_game_rows(list(mygames.my_seats(martha)), martha.user) if each.game == game)
    assert line.board
    assert line.board.cards == [card_face(spot[-1]) if spot else Card() for spot in seen["spots"]]
    assert line.board.turn == (0,)


def test_a_match_shows_the_table_and_what_follows_from_each_end_of_it(game: Game) -> None:
    match = MatchGame.objects.get(game=game).match
    page = Page.of(Client().get(f"/matches/{match.pk}/"))
    assert page.faults() == []
    assert (2, "If the match ends like this") in page.headings, "its two games count together"
    assert f"/games/{game.public_id}/" in page.links("/games/")
    assert "On the spots:" in page.text
    found = what_if_views.match_outlook(match, list(match.entrants.all()))
    assert found
    first, second = (side.entrant.player.name for side in match.entrants.all())  # by lot
    assert [end.words for end in found.ends] == [f"{first} wins", "level", f"{second} wins"]
    figures = [[(score, each.row.points, each.low, each.high) for score, each in end.sides] for end in found.ends]
    assert figures == [[(2, 1, 1, 1), (0, 0, 2, 2)], [(1, 0.5, 1, 2)] * 2, [(0, 0, 2, 2), (2, 1, 1, 1)]]


def test_a_sealed_game_shows_its_table_to_its_player_alone_and_not_to_who_looks_on(game: Game, martha: Player) -> None:
    assert martha.user
    Game.objects.filter(pk=game.pk).update(terms={**game.terms, "sealed": True})
    Deal.objects.filter(pk=game.deal_id).update(revealed_at=None)
    (mine,) = (each for each in mygames.my_game_rows(list(mygames.my_seats(martha)), martha.user) if each.game == game)
    assert mine.board
    looked_on = User.objects.get(pk=martha.user.pk)
    acting.mark_impersonated(looked_on)
    (theirs,) = (each for each in mygames.my_game_rows(list(mygames.my_seats(martha)), looked_on) if each.game == game)
    assert theirs.board is None
    played = MatchGame.objects.get(game=game)
    shown = Page.of(Client().get(f"/matches/{played.match_id}/"))
    assert (2, f"Game {played.number}") not in shown.headings


def test_once_a_game_is_rated_the_list_has_what_it_did_to_my_rating(running: Start) -> None:
    season = running(4)
    play_season(season)
    player = Player.objects.filter(entries__season=season).order_by("pk")[0]
    lines = mygames.my_game_rows(list(mygames.my_seats(player)), AnonymousUser())
    changes = {each.game_id: each.after - each.before for each in RatingChange.objects.filter(player=player, counted=1)}
    assert changes, "the season is rated"
    assert {
        line.game.pk: line.about.change for line in lines if line.about and line.about.change is not None
    } == changes


def test_the_result_of_a_game_says_what_it_did_to_ratings_and_how_its_match_stands(running: Start) -> None:
    season = running(2)
    play_season(season)
    change = RatingChange.objects.select_related("game").order_by("position")[0]
    stakes = stakes_of(change.game)
    assert stakes.ratings[change.player_id] == (change.before, change.after)
    assert sum(points.value for points in stakes.points.values()) == change.game.match_game.match.games.count()
    shown = Client().get(f"/api/v1/games/{change.game.public_id}/result/").json()
    assert {row["player"]: (row["rating"]["before"], row["rating"]["after"]) for row in shown["seats"]} == {
        player: (round(before), round(after)) for player, (before, after) in stakes.ratings.items()
    }
    assert shown["match"].startswith(str(season))


def test_a_stored_replay_says_what_the_game_counts_for_now(game: Game, django_assert_max_num_queries: Any) -> None:
    """Its version says when the points of the match, the ratings, or the season's name are others."""
    page, shown = f"/games/{game.public_id}/", []
    caches[page_cache.CACHE].clear()
    other = MatchGame.objects.exclude(game=game).get(match__games__game=game).game

    def answer() -> str:
        return page_cache.CSRF_FIELD.sub("", Client().get(page).content.decode())

    def look() -> None:
        """Look at the page, which may be an older one, at a new one, and at the one that is stored now."""
        shown.append(answer())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(page_cache, "is_switched_on", lambda: False)
            assert answer() == shown[-1]
        with django_assert_max_num_queries(5):
            assert answer() == shown[-1]

    with clock.frozen_at(BEGIN + A_DAY):
        play.leave_game(game=game, seat=0, how="resigned")
        look()
        play.leave_game(game=other, seat=0, how="resigned")
        look()
        director.advance()
    with clock.frozen_at(BEGIN + 2 * A_DAY):
        director.advance()  # closes the round, and with it the ratings change
        look()
        League.objects.update(name="Another")
        look()
    assert "Match: 1" in shown[0]
    assert "Ratings change when the round closes" in shown[1]
    assert "Ratings change when" not in shown[2]
    assert "Rating: " in shown[2]
    assert len(set(shown)) == 4
