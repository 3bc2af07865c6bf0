"""The pages of teams, their API, and where teams are shown on the pages of a season."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.urls import reverse

from games.common import clock
from games.models import Player
from tests.assertions.page import Page
from tests.factories.people import browser, browser_of
from tests.tournaments.club import BEGIN, play_season
from tests.tournaments.teams.conftest import Paired, TeamSeason, new_season
from tournaments.director import director
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import BoardPlayer, Entrant, League, Match, SealedLineup, Season
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db


def path(season: Season) -> list[str]:
    return [season.league.club.slug, season.league.slug, season.slug]


def shown(player: Player, at: str) -> Page:
    answer = browser_of(player).get(at)
    assert answer.status_code == 200, at
    page = Page.of(answer)
    assert page.faults() == []
    return page


def test_a_captain_registers_a_team_and_sees_it(league: League, people: list[Player]) -> None:
    season = new_season(league)
    martha, laura = people[:2]
    assert "Register a team…" in shown(martha, season_url(season)).text
    at = reverse("season-team-new", args=path(season))
    assert "Substitute 4" in shown(martha, at).text
    sent = {"name": "Foxes", "member-1": martha.pk, "member-3": laura.pk, "captain": "3"}
    answer = browser_of(martha).post(at, sent)
    team = Entrant.objects.get()
    assert answer["Location"] == reverse("season-team", args=[*path(season), team.number])
    page = shown(laura, answer["Location"])
    assert "1 Martha" in page.text
    assert "Laura captain" in page.text
    assert "Change team…" in page.text
    refused = browser_of(people[2]).post(at, {**sent, "member-2": people[2].pk})
    assert refused.status_code in (400, 409)
    alone = browser_of(people[2]).post(at, {"name": "Herons", "member-1": people[3].pk})
    assert "You must play in the team" in Page.of(alone).text


def test_a_captain_names_the_line_up_on_its_page(paired: Paired, people: list[Player]) -> None:
    match = paired()
    page = reverse("match", args=[match.pk])
    assert "Name the line-up…" in shown(people[0], page).text
    assert "Name the line-up…" not in shown(people[1], page).text
    at = reverse("match-lineup", args=[match.pk])
    with clock.frozen_at(BEGIN + timedelta(hours=1)):
        assert "1. Martha" in shown(people[0], at).text
        wrong = browser_of(people[0]).post(at, {"board-1": people[2].pk, "board-2": people[0].pk})
        done = browser_of(people[0]).post(at, {"board-1": people[0].pk, "board-2": people[2].pk})
    assert (wrong.status_code, "order of the team" in Page.of(wrong).text) == (400, True)
    assert done["Location"] == page
    text = shown(people[3], page).text
    assert "Foxes: line-up handed in" in text
    assert "Otto" not in text
    assert browser_of(people[3]).get(at).status_code == 200  # of the other team: its own line-up
    assert browser_of(people[1]).get(at).status_code == 403


def test_a_captain_without_enough_players_is_led_to_the_team_and_the_season_counts_teams(
    paired: Paired, people: list[Player]
) -> None:
    match = paired((3, 1))
    season = match.round.division.season
    with clock.frozen_at(BEGIN + timedelta(hours=1)):
        page, other = (shown(people[i], reverse("match-lineup", args=[match.pk])) for i in (3, 0))
    assert "Herons has 1 player for 2 boards" in page.text
    assert reverse("season-team-change", args=[*path(season), 2]) in page.links("/clubs/")
    assert "Boards without a player" not in other.text
    assert "2 teams" in shown(people[0], season_url(season)).text
    results = Page.of(browser(season.league.club.owner).get(reverse("season-results", args=path(season))))
    assert "Adjudicate…" in results.text
    assert "Save results" not in results.text, "the result of a match of teams is that of its boards"


def test_an_organiser_names_a_line_up_for_a_captain_who_does_not(paired: Paired, people: list[Player]) -> None:
    match = paired()
    page, at = reverse("match", args=[match.pk]), reverse("match-lineup", args=[match.pk])
    owner = match.round.division.season.league.club.owner
    assert owner
    assert f'href="{at}?team=2"' in browser(owner).get(page).content.decode()
    assert "?team=2" not in browser_of(people[0]).get(page).content.decode()
    with clock.frozen_at(BEGIN + timedelta(hours=1)):
        sent = {"board-1": people[3].pk, "board-2": people[4].pk}
        assert browser(owner).post(f"{at}?team=2", sent)["Location"] == page
    assert SealedLineup.objects.get().entrant.player.name == "Herons"
    assert "?team=2" not in browser(owner).get(page).content.decode()


def test_the_boards_of_a_match_are_shown_with_an_empty_one(paired: Paired, people: list[Player]) -> None:
    match = paired((3, 1))
    with clock.frozen_at(BEGIN + timedelta(hours=24)):
        director.advance()
    text = shown(people[0], reverse("match", args=[match.pk])).text
    assert "1 Martha first – Jonas" in text
    assert "2 Laura 1–0 nobody not played" in text
    answer = browser_of(people[0]).get(f"/api/v1/matches/{match.pk}/boards/").json()
    assert [board["points"] for board in answer["boards"]] == [None, [1.0, 0.0]]
    season = match.round.division.season
    for at in ("rounds", "hall"):  # printed on a round's page, and read from the back of the room
        text = " ".join(shown(people[0], season_url(season, at)).text.split())
        assert "Board 1 Martha – Jonas Board 2 Laura 1–0 nobody" in text, at


def test_a_row_of_the_standings_unfolds_to_boards(bot_teams: TeamSeason, people: list[Player]) -> None:
    season = play_season(bot_teams())
    first = Standing.objects.select_related("entrant__player").order_by("position")[0]
    text = shown(people[0], f"{season_url(season, 'standings')}?row={first.entrant.number}").text
    board = BoardPlayer.objects.filter(entrant=first.entrant, board=1).select_related("player").first()
    assert board
    assert board.player
    assert f"1. {board.player.name} v1 BOT –" in text.replace("\xa0", " ")
    for at in ("", "rounds", "activity", "settings"):
        assert first.entrant.player.name in shown(people[0], season_url(season, at)).text or at == "settings"
    shown(people[0], reverse("season-team", args=[*path(season), first.entrant.number]))
    answer = browser_of(people[0]).get(reverse("player", args=[first.entrant.player_id]))
    assert answer["Location"] == reverse("season-team", args=[*path(season), first.entrant.number])


def test_a_line_up_by_the_api_says_of_the_other_team_only_that_it_is_in(paired: Paired, people: list[Player]) -> None:
    match = paired()
    with clock.frozen_at(BEGIN + timedelta(hours=1)):
        sent = json.dumps({"players": [people[0].pk, people[2].pk]})
        at = f"/api/v1/matches/{match.pk}/lineup/"
        answer = browser_of(people[0]).post(at, sent, content_type="application/json")
    assert answer.status_code == 200
    assert (answer.json()["handed_in"], answer.json()["boards"]) == ([1], [])
    assert SealedLineup.objects.get().players == [people[0].pk, people[2].pk]
    assert Match.objects.get().lineups_due is not None
