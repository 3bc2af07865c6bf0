"""A private club is visible only to its members, wherever it, its seasons or its games could appear."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, reverse

from games.accounts import tokens
from games.common import clock
from games.common.rate_limits import forget_advances
from games.models import Game, Player
from games.play import continuation
from games.play import services as play
from games.visibility import audience
from tests.assertions.page import Page
from tests.fixtures.saved_rows import restored
from tests.tournaments.club import BEGIN, builtin_bot, play_all
from tests.tournaments.clubs.conftest import People, browser, call, code, player
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs import permissions as club_permissions
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League, Match, Season

pytestmark = pytest.mark.django_db
Where = Callable[["User | None", Season], dict[str, bool]]


@pytest.fixture
def played(club: Club) -> Season:
    """Return a season of three bots with one finished and one running round."""

    def make() -> Season:
        league = League.objects.create(club=club, name="Palace League", slug="palace")
        with clock.frozen_at(BEGIN):
            season = seasons.create_season(league=league, name="Winter", kind="chinese_ten", calendar={"seconds": 60})
            for name in ("Gannet", "Abacus", "Wren"):
                entries.enter_season(season=season, player=builtin_bot(name))
            seasons.start_season(season=season)
            director.advance()
            play_all()
            director.advance()
        with clock.frozen_at(BEGIN.replace(minute=2)):
            director.advance()
            assert {game.status for game in Game.objects.all()} == {"finished", "playing"}
            club_lifecycle.change_club(club=club, user=club.owner, visibility="private")
        return season

    return restored("a season of a private club", make)


def listed(user: User | None, season: Season) -> dict[str, bool]:
    """Return for each list whether it shows something of the club."""
    client = browser(user)
    over = Game.objects.filter(status="finished").earliest("pk")
    on = Game.objects.filter(status="playing").earliest("pk")
    gannet = Player.objects.filter(seats__game=over).earliest("pk")

    def page(path: str) -> str:
        answer = client.get(path)
        assert answer.status_code == 200, path
        return str(answer.content.decode())

    def has_rows(path: str) -> bool:
        return bool(client.get(f"/api/v1/{path}").json()["results"])

    home, his = page("/"), page(f"/players/{gannet.pk}/")
    return {
        "home: season": "Lantern Street" in Page(home).text,
        "home: results": f"/games/{over.public_id}/" in home,
        "watch": f"/games/{on.public_id}/" in page("/watch/"),
        "clubs": "Lantern Street" in Page(page("/clubs/")).text,
        "player: seasons": "Winter" in Page(his).text,
        "player: games": f"/games/{over.public_id}/" in his,
        "api clubs": has_rows("clubs/"),
        "api seasons": has_rows("seasons/"),
        "api matches": has_rows("matches/"),
        "api games": has_rows("games/"),
        "api games of a player": has_rows(f"games/?player={gannet.pk}"),
    }


def reached(user: User | None, season: Season) -> dict[str, bool]:
    """Return for each page and operation about the club whether it can be opened. The table of permissions has them,
    too (`tests/permissions`), with other rows."""
    client = browser(user)
    over = Game.objects.filter(status="finished").earliest("pk")
    on = Game.objects.filter(status="playing").earliest("pk")
    match = Match.objects.earliest("pk")
    address = f"/clubs/lantern-street/palace/{season.slug}/"
    game = f"/api/v1/games/{over.public_id}/"
    places = {
        "club": "/clubs/lantern-street/",
        "season": address,
        "season part": f"{address}standings/?part=standings",
        "match": f"/matches/{match.pk}/",
        "replay": f"/games/{over.public_id}/",
        "table": f"/games/{on.public_id}/",
        "api club": "/api/v1/clubs/lantern-street/",
        "api season": f"/api/v1/seasons/{season.pk}/",
        "api standings": f"/api/v1/seasons/{season.pk}/standings/",
        "api rounds": f"/api/v1/seasons/{season.pk}/rounds/",
        "api match": f"/api/v1/matches/{match.pk}/",
        "api game": game,
        "api events": f"{game}events/",
        "api replay": f"{game}replay/",
        "api export": f"{game}export/",
        "api verify": f"{game}verify/",
    }
    answers = {name: client.get(path).status_code for name, path in places.items()}
    assert set(answers.values()) <= {200, 404}, answers
    return {name: answer == 200 for name, answer in answers.items()}


MAY = {"": False, "Laura": False, "Martha": True, "Otto": True, "Niamh": True, "Ada": True}
WHERE = (listed, reached)


def wrong(club_people: People, season: Season, places: Sequence[Where], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the `names` that see too much or too little."""
    found = {}
    for name in names:
        seen = [cell for see in places for cell in see(club_people.get(name), season).items()]
        found[name] = [place for place, there in seen if there is not MAY[name]]
    return {name: places for name, places in found.items() if places}


def test_a_private_club_is_in_the_lists_of_its_members_and_admins_alone(club_people: People, played: Season) -> None:
    assert wrong(club_people, played, [listed], ["", "Laura", "Martha", "Ada"]) == {}


def test_what_is_in_a_private_club_is_there_for_its_members_alone(club_people: People, played: Season) -> None:
    assert wrong(club_people, played, [reached], ["Laura", "Martha"]) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", MAY)
def test_wherever_it_could_stand(name: str, club_people: People, played: Season) -> None:
    assert wrong(club_people, played, WHERE, [name]) == {}


def test_a_public_club_is_for_everybody(club: Club, played: Season) -> None:
    club_lifecycle.change_club(club=club, user=club.owner, visibility="public")
    got = listed(None, played)
    assert got == dict.fromkeys(got, True)


@pytest.mark.slow
def test_whatever_is_in_a_public_club_is_for_everybody(club: Club, played: Season) -> None:
    club_lifecycle.change_club(club=club, user=club.owner, visibility="public")
    got = reached(None, played)
    assert got == dict.fromkeys(got, True)


def test_no_page_of_another_site_shows_a_private_game_whoever_looks(club_people: People, played: Season) -> None:
    game = Game.objects.filter(status="finished").earliest("pk")
    assert browser(club_people["Niamh"]).get(f"/games/{game.public_id}/embed/").status_code == 404


def test_nobody_else_plays_on_in_a_private_game_and_who_does_stays_within(club_people: People, played: Season) -> None:
    game = Game.objects.filter(status="finished").earliest("pk")
    asked = {"version": 20, "seat": 0}
    assert code(call(club_people["Laura"], "post", f"games/{game.public_id}/continue/", asked)) == (
        404,
        "game_not_found",
    )
    going, _new = continuation.continue_from(game, 20, 0, player(club_people["Martha"]))
    assert going.audience_club_id == game.audience_club_id == played.league.club_id
    assert not audience.is_visible(going, club_people["Laura"])


def test_whoever_sits_in_a_game_sees_it_also_after_they_have_left_the_club(club_people: People, club: Club) -> None:
    seated = [player(club_people["Martha"]), player(club_people["Laura"])]
    game = play.open_game(kind="plates", players=seated, audience_club_id=club.pk)
    club_lifecycle.change_club(club=club, user=club.owner, visibility="private")
    assert audience.is_visible(game, club_people["Laura"])
    assert call(club_people["Laura"], "get", "games/").json()["results"][0]["id"] == game.public_id
    stranger = User.objects.create_user("bram")
    assert not audience.is_visible(game, stranger)
    assert call(stranger, "get", "games/").json()["results"] == []


def test_a_token_sees_what_its_owner_sees(club_people: People, private: Club) -> None:
    secrets = {
        name: tokens.create_token(user=club_people[name], name="laptop", wanted=["read"])[1]
        for name in ("Martha", "Laura")
    }
    got = {
        name: Client(headers={"authorization": f"Bearer {secret}"}).get("/api/v1/clubs/lantern-street/").status_code
        for name, secret in secrets.items()
    }
    assert got == {"Martha": 200, "Laura": 404}


def test_nobody_enters_or_sets_up_a_season_of_a_private_club_of_others(club_people: People, played: Season) -> None:
    assert code(call(club_people["Laura"], "post", f"seasons/{played.pk}/join/", {})) == (404, "not_found")
    asked = {"club": "lantern-street", "league": "palace", "name": "Mine", "kind": "palace"}
    assert code(call(club_people["Laura"], "post", "seasons/", asked)) == (404, "not_found")
    assert code(call(club_people["Martha"], "post", "seasons/", asked)) == (403, "not_organiser")


def test_lists_ask_as_many_queries_with_private_clubs_as_without(
    club_people: People, club: Club, played: Season
) -> None:
    """Martha is a member of Lantern Street and sees its games and the club itself both times."""

    def queries(path: str) -> int:
        martha = browser(club_people["Martha"])
        with CaptureQueriesContext(connection) as asked:
            assert martha.get(f"/api/v1/{path}").json()["results"]
        return len(asked)

    forget_advances()
    queries("games/")  # which counts what follows in advance
    club_lifecycle.change_club(club=club, user=club.owner, visibility="public")
    without = queries("games/"), queries("clubs/")
    club_lifecycle.change_club(club=club, user=club.owner, visibility="private")
    for number in range(9):
        club_lifecycle.found_club(user=club_people["Ada"], name=f"Club {number}", visibility="private")
    assert (queries("games/"), queries("clubs/")) == without


def test_an_archived_club_is_in_no_list_and_can_be_read(club_people: People, club: Club, played: Season) -> None:
    club_lifecycle.change_club(club=club, user=club.owner, visibility="public")
    Season.objects.update(status="finished")
    club_lifecycle.archive_club(club=club, user=club.owner, reason="Moved.")
    assert list(club_permissions.listed_for(club_people["Laura"])) == []
    for path in ("/clubs/", "/"):
        assert f"/clubs/{club.slug}/" not in browser(None).get(path).content.decode()
    assert call(None, "get", "clubs/").json()["results"] == []
    assert call(None, "get", "seasons/").json()["results"] == []
    assert [row["slug"] for row in call(club_people["Martha"], "get", "clubs/?mine=true").json()["results"]] == [
        club.slug
    ]
    assert "Archived" in Page.of(browser(None).get(f"/clubs/{club.slug}/")).text
    assert call(None, "get", f"seasons/{played.pk}/").status_code == 200


def test_a_league_that_repeats_rests_while_its_club_is_archived(club: Club) -> None:
    league = League.objects.create(club=club, name="Palace League", slug="palace")
    with clock.frozen_at(BEGIN):
        season = seasons.create_season(league=league, name="Winter", kind="chinese_ten", repeats=True)
        for name in ("Gannet", "Abacus"):
            entries.enter_season(season=season, player=builtin_bot(name))
        seasons.start_season(season=season)
        Season.objects.update(status="finished", finished_at=BEGIN)
        club_lifecycle.archive_club(club=club, user=club.owner, reason="Moved.")
        director.advance()
        assert Season.objects.count() == 1
        club_lifecycle.unarchive_club(club=club, user=club.owner)
        director.advance()
        assert Season.objects.count() == 2


def test_a_picture_of_a_private_club_is_for_its_reader_alone(club_people: People, played: Season) -> None:
    for at in ("/clubs/lantern-street/picture.png", f"/matches/{Match.objects.earliest('pk').pk}/picture.png"):
        answer = browser(club_people["Martha"]).get(at)
        kept = {each.strip() for each in answer["Cache-Control"].split(",")}
        assert (kept, "Cookie" in answer["Vary"]) == ({"private", "max-age=3600"}, True), at


def test_every_address_that_names_a_club_or_a_match_asks_who_may_see_it() -> None:
    for each in get_resolver("tournaments.urls").url_patterns:
        assert hasattr(each.callback, "__wrapped__"), each


def test_a_link_to_a_private_club_or_its_season_tells_a_stranger_nothing(club: Club, played: Season) -> None:
    club_lifecycle.change_club(club=club, user=club.owner, visibility="public")
    season = reverse("season", args=[club.slug, played.league.slug, played.slug])
    for path, title in ((f"/clubs/{club.slug}/", club.name), (season, str(played))):
        assert f'<meta property="og:title" content="{title}">' in Client().get(path).content.decode()
    club_lifecycle.change_club(club=club, user=club.owner, visibility="private")
    for path in (f"/clubs/{club.slug}/", season):
        page = Client().get(path)
        assert page.status_code == 404
        assert club.name not in page.content.decode()
