"""The page with a person's own seasons, and the same through the API. Martha plays in Niamh's club, a round a week."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.common import clock
from games.models import Bot, BotVersion, Game, Player
from games.play import services as play
from games.play.departures import FORFEITED
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN
from tests.tournaments.entries.test_entries import entrant, season_of
from tournaments.director import director
from tournaments.entries import availability
from tournaments.entries import services as entries
from tournaments.organiser import my_seasons
from tournaments.seasons.models import League, Match, Season

pytestmark = pytest.mark.django_db
A_DAY = timedelta(days=1)


def user_of(player: Player) -> User:
    assert player.user
    return player.user


@pytest.fixture
def martha(client: Client, club_people: list[Player]) -> Client:
    client.force_login(user_of(club_people[0]))
    return client


def look(browser: Client) -> Page:
    answer = browser.get("/me/seasons/")
    assert answer.status_code == 200
    page = Page.of(answer)
    assert page.faults() == []
    return page


def test_who_is_in_no_season_is_shown_the_way_to_one(martha: Client) -> None:
    page = look(martha)
    assert "You are not in a season." in page.text
    assert "/clubs/" in page.links("/clubs/")


def test_my_next_match_says_whom_i_meet_until_when_and_what_i_can_do(
    martha: Client, played: Season, club_people: list[Player]
) -> None:
    match = Match.objects.get(entrants__entrant__player=club_people[0])
    game = match.games.get().game
    seat = game.seats.get(player=club_people[0]).seat
    other = match.entrants.exclude(entrant__player=club_people[0]).get().entrant.player
    for to_act, sentence, button in (
        ([seat], "It is your turn.", "Play"),
        ([1 - seat], "It is another player’s turn.", "View"),
    ):
        Game.objects.filter(pk=game.pk).update(to_act=to_act, deadline=None)
        with clock.frozen_at(BEGIN + A_DAY):
            page = look(martha)
        assert sentence in page.text
        assert f"{button} Chinese Ten" in page.text
        assert other.name in page.text
        assert "in 6 days" in page.text
    Game.objects.filter(pk=game.pk).update(to_act=[seat], deadline=BEGIN + 3 * A_DAY)  # before the round ends
    with clock.frozen_at(BEGIN + A_DAY):
        assert "in 2 days" in look(martha).text
    assert f"/games/{game.public_id}/" in page.links("/games/")


def test_a_match_that_is_over_goes_and_the_place_comes(
    martha: Client, played: Season, club_people: list[Player]
) -> None:
    with clock.frozen_at(BEGIN + A_DAY):
        for game in Game.objects.all():
            play.leave_game(game=game, seat=1, how=FORFEITED)
        director.advance()
        page = look(martha)
    assert "You have no open matches." in page.text
    assert f"{['', '1st', '2nd', '3rd', '4th'][entrant(played, club_people[0]).standing.place]}" in page.text


def test_i_switch_myself_away_from_the_next_round_and_back(
    martha: Client, played: Season, club_people: list[Player]
) -> None:
    own = entrant(played, club_people[0])
    with clock.frozen_at(BEGIN + A_DAY):
        assert "Miss round 2" in look(martha).text
        for do, away, sentence in (
            ("away", [2], "Martha is absent in round 2."),
            ("there", [], "Martha plays in round 2"),
        ):
            page = Page.of(martha.post("/me/seasons/", {"entry": own.pk, "do": do}, follow=True))
            assert sentence in page.text
            own.refresh_from_db()
            assert own.away == away


def test_rounds_already_said_stay_when_the_next_one_is_switched(played: Season, club_people: list[Player]) -> None:
    own = entrant(played, club_people[0])
    with clock.frozen_at(BEGIN + A_DAY):
        availability.set_away_rounds(entrant=own, rounds=[3])
        own.refresh_from_db()
        assert my_seasons.toggle_away(entrant=own, away=True).away == [2, 3]


def test_nobody_switches_somebody_else(martha: Client, played: Season, club_people: list[Player]) -> None:
    laura = entrant(played, club_people[1])
    assert martha.post("/me/seasons/", {"entry": laura.pk, "do": "away"}).status_code == 404
    assert martha.post("/me/seasons/", {"entry": "x", "do": "away"}).status_code == 404
    laura.refresh_from_db()
    assert laura.away == []


def test_what_is_to_come_is_in_order(martha: Client, played: Season, club_people: list[Player]) -> None:
    with clock.frozen_at(BEGIN + A_DAY):
        availability.set_away_rounds(entrant=entrant(played, club_people[0]), rounds=[3])
        own = my_seasons.current_entries(user_of(club_people[0]))
        dates = my_seasons.my_dates(own, my_seasons.my_matches(own))
        text = look(martha).text
    assert [(date.at, date.text) for date in dates] == [
        (BEGIN + 7 * A_DAY, "round 1 ends"),
        (BEGIN + 7 * A_DAY, "round 2 opens"),
        (BEGIN + 14 * A_DAY, "absent in round 3"),
    ]
    assert "round 1 ends" in text


def test_seasons_that_are_over_or_left_stand_behind(martha: Client, played: Season, club_people: list[Player]) -> None:
    with clock.frozen_at(BEGIN + A_DAY):
        entries.leave_season(entrant=entrant(played, club_people[0]), by=club_people[0].user)
        page = look(martha)
    assert "Earlier seasons" in page.text
    assert "withdrawn" in page.text
    assert "You are not in a season." in page.text


def test_my_bots_seasons_are_mine(
    martha: Client, league: League, club_people: list[Player], bots: list[Player]
) -> None:
    version = BotVersion.objects.create(
        bot=Bot.objects.create(name="Heron", owner=club_people[0].user),
        number=3,
        transport="upload",
        kinds=["chinese_ten"],
    )
    heron = Player.objects.create(bot_version=version, name="Heron")
    season_of(league, [heron, bots[0]], terms={"move_seconds": 60})
    with clock.frozen_at(BEGIN):
        director.advance()
        page = look(martha)
    assert page.text.count("Heron") >= 2
    assert "BOT" in page.text


def test_the_page_asks_as_many_queries_for_six_seasons_as_for_one(
    martha: Client, played: Season, league: League, club_people: list[Player]
) -> None:
    def queries() -> int:
        with clock.frozen_at(BEGIN + A_DAY), CaptureQueriesContext(connection) as asked:
            look(martha)
        return len(asked)

    queries()
    few = queries()
    for number in range(5):
        season_of(league, club_people, name=f"Season {number}", on_round_deadline="adjudicate")
    with clock.frozen_at(BEGIN):
        director.advance()
    assert queries() == few


def test_the_page_is_for_who_is_signed_in(client: Client) -> None:
    assert "/login/" in client.get("/me/seasons/")["Location"]


# the API


def test_the_api_has_the_same(martha: Client, played: Season, club_people: list[Player]) -> None:
    with clock.frozen_at(BEGIN + A_DAY):
        data = martha.get("/api/v1/me/seasons/").json()
    [season], [match] = data["seasons"], data["matches"]
    assert (season["season"], season["coming_round"], season["away"]) == (played.pk, 2, False)
    assert season["opens_at"] == "2026-09-14T19:00:00Z"
    assert (match["begins_at"], match["due"]) == (None, "2026-09-08T19:00:00Z"), "her clock ends before the round"
    assert len(match["others"]) == 1


def test_the_inbox_by_api(client: Client, played: Season, league: League, club_people: list[Player]) -> None:
    client.force_login(league.club.owner)
    match = Match.objects.earliest("pk")
    with clock.frozen_at(BEGIN + 6 * A_DAY):
        for path in ("/api/v1/inbox/", "/api/v1/clubs/lantern/inbox/"):
            data = client.get(path).json()
            assert data["count"] == 2
            assert {item["what"] for item in data["results"]} == {"deadline"}
        assert data["results"][0]["match"] == match.pk
        nudge = f"/api/v1/matches/{match.pk}/nudge/"
        asked = client.post(nudge, {"note": "Tonight."}, content_type="application/json").json()["asked"]
        assert [player["id"] for player in asked] == [player["id"] for player in data["results"][0]["awaited"]]
        refused = client.post(nudge)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "nudged_lately")
        [done] = client.get("/api/v1/clubs/lantern/audit-log/").json()["results"]
    assert "an organiser reminds them to play. “Tonight.”" in done["text"]
    assert done["season"] == played.pk
