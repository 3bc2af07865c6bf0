"""Clubs and talk: the switch, organisers who remove messages, the room of a season."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from games.models import Player
from games.play import services as play
from games.talk.models import Message
from games.talk.rooms import find_room
from tests.assertions.page import Page
from tests.factories.people import browser
from tests.tournaments.clubs.conftest import People
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.models import Club
from tournaments.entries.services import enter_season
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League, Season

pytestmark = pytest.mark.django_db


@pytest.fixture
def season(club: Club) -> Season:
    league = League.objects.create(club=club, name="Thursdays", slug="thursdays")
    return seasons.create_season(league=league, name="Winter", kind="chinese_ten")


def write(user: User, season: Season, **sent: str) -> Any:
    return browser(user).post(f"/api/v1/talk/season/{season.pk}/", sent, content_type="application/json")


def code(answer: Any) -> str:
    return str(answer.json()["error"]["code"])


def test_members_and_entrants_talk_of_a_season_and_nobody_else_reads_it(
    club_people: People, club: Club, season: Season
) -> None:
    assert write(club_people["Martha"], season, text="See you on Thursday.").status_code == 201
    assert code(write(club_people["Laura"], season, phrase="hello")) == "not_in_season"
    page = f"/talk/season/{season.pk}/"
    assert "See you" not in browser(club_people["Laura"]).get(page).content.decode()
    assert "See you" not in browser(club_people["Ada"]).get(page).content.decode()
    enter_season(season=season, player=Player.objects.get(user=club_people["Laura"]))
    assert "See you on Thursday." in Page.of(browser(club_people["Laura"]).get(page)).text


def test_the_club_switches_free_text_off_and_then_everything(club_people: People, club: Club, season: Season) -> None:
    niamh, martha = club_people["Niamh"], club_people["Martha"]
    sent = {"name": club.name, "zone": club.zone, "visibility": "public", "joining": "ask", "talk": "phrases"}
    assert browser(niamh).post("/clubs/lantern-street/settings/", sent).status_code == 302
    assert code(write(martha, season, text="Hello, all")) == "free_text_off"
    assert write(martha, season, phrase="hello").status_code == 201
    page = browser(martha).get(f"/talk/season/{season.pk}/").content.decode()
    assert 'value="good_luck"' in page
    assert 'name="text" id="id_text"' not in " ".join(page.split())
    asked = browser(niamh).patch("/api/v1/clubs/lantern-street/", {"talk": "off"}, content_type="application/json")
    assert asked.json()["talk"] == "off"
    assert code(write(martha, season, phrase="hello")) == "talk_off"
    assert browser(martha).get(f"/talk/season/{season.pk}/?part=room").content == b""


def test_an_organiser_removes_a_message_and_a_member_does_not(club_people: People, club: Club, season: Season) -> None:
    write(club_people["Martha"], season, text="You are all fools")
    message = Message.objects.get()
    assert browser(club_people["Martha"]).post(f"/talk/messages/{message.pk}/remove/").status_code == 302
    assert Message.objects.get().removed_at is None
    assert browser(club_people["Otto"]).post(f"/talk/messages/{message.pk}/remove/").status_code == 302
    assert "fools" not in browser(club_people["Martha"]).get(f"/talk/season/{season.pk}/").content.decode()
    kept = Message.objects.get()
    assert (kept.removed_by, kept.text) == (club_people["Otto"], "You are all fools")


def test_while_deals_are_sealed_a_season_talks_in_quick_phrases(club_people: People, club: Club) -> None:
    league = League.objects.create(club=club, name="Duplicate", slug="duplicate")
    season = seasons.create_season(league=league, name="Sealed", kind="chinese_ten", deals="duplicate")
    assert season.terms["sealed"]
    assert code(write(club_people["Martha"], season, text="The tens are low")) == "free_text_off"
    season.status = Season.Status.FINISHED
    season.save(update_fields=["status"])
    assert write(club_people["Martha"], season, text="The tens were low").status_code == 201


def test_the_talk_of_a_private_clubs_season_does_not_exist_for_others(
    club_people: People, private: Club, season: Season
) -> None:
    assert write(club_people["Laura"], season, phrase="hello").status_code == 404


def test_the_club_decides_for_the_tables_of_its_games(club_people: People, club: Club, season: Season) -> None:
    names = ("Martha", "Niamh")
    players = [Player.objects.get(user=club_people[name]) for name in names]
    game = play.open_game(kind="chinese_ten", players=players, audience_club_id=club.pk)
    club_lifecycle.change_club(club=club, user=club_people["Niamh"], talk="off")
    refusal = find_room("table", game.public_id, club_people["Martha"]).refusal
    assert refusal
    assert refusal.code == "talk_off"
