"""Entering, leaving and running a season through the API, and on its page.

Niamh owns the club, Otto organises; Martha and Laura play.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.models import Player
from tests.assertions.confirmation import confirm
from tests.fixtures.players import laura, martha, otto, person, sign_in
from tests.tournaments.club import builtin_bot, new_club
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.seasons.models import League, Round, Season

__all__ = ["laura", "martha", "otto", "person", "sign_in"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def season(otto: Player) -> Season:
    niamh = User.objects.create_user("niamh")
    club = new_club(name="Lantern Street Card Club", slug="lantern", zone="Europe/Dublin", owner=niamh)
    assert otto.user
    club.memberships.create(user=otto.user, role="organiser")
    league = League.objects.create(club=club, name="Tens", slug="tens")
    terms = {"move_days": 20}
    asked: dict[str, Any] = {"name": "Autumn", "kind": "chinese_ten", "terms": terms, "on_round_deadline": "adjudicate"}
    season = seasons.create_season(league=league, **asked, entry={"invited_only": True})
    entries.enter_season(season=season, player=builtin_bot("Gannet"))
    return season


def post(browser: Client, season: Season, what: str, **data: Any) -> Any:
    return browser.post(f"/api/v1/seasons/{season.pk}/{what}/", data, content_type="application/json")


def names(browser: Client, season: Season) -> dict[str, str]:
    rows = browser.get(f"/api/v1/seasons/{season.pk}/entrants/").json()["results"]
    return {row["player"]["name"]: row["status"] for row in rows}


def test_one_asks_is_let_in_is_away_and_leaves(
    season: Season, martha: Player, laura: Player, otto: Player, sign_in: Callable[[Player], Client]
) -> None:
    browser, organiser = sign_in(martha), sign_in(otto)
    assert post(browser, season, "join").status_code == 200
    assert names(browser, season) == {"Gannet": "in", martha.name: "asked"}
    assert names(sign_in(laura), season) == names(Client(), season) == {"Gannet": "in"}
    number = season.entries.get(player=martha).number
    assert post(browser, season, "admit", entrant=number).json()["error"]["code"] == "not_organiser"
    assert post(organiser, season, "admit", entrant=number, note="Welcome back.").json()["status"] == "in"
    assert season.notes.get().text == "Welcome back."
    assert post(organiser, season, "admit", entrant=999).status_code == 404
    assert post(browser, season, "away", rounds=[2, 1]).json()["away"] == [1, 2]
    assert post(browser, season, "away", rounds=[0]).status_code == 400
    assert post(browser, season, "check-in").json()["error"]["code"] == "no_check_in"
    assert post(browser, season, "challenge", entrant=1).json()["error"]["code"] == "no_challenges"
    assert post(browser, season, "leave", note="Too busy.").json()["status"] == "out"
    assert post(browser, season, "leave").json()["error"]["code"] == "not_in"
    assert post(Client(), season, "leave").status_code == 403


@pytest.mark.slow
def test_an_organiser_pauses_resumes_extends_withdraws_and_abandons(
    season: Season, martha: Player, otto: Player, sign_in: Callable[[Player], Client]
) -> None:
    organiser, browser = sign_in(otto), sign_in(martha)
    entries.enter_season(season=season, player=martha)
    seasons.start_season(season=season)
    director.advance()
    late = {"round": Round.objects.get().pk, "until": (clock.now() + timedelta(days=30)).isoformat(), "note": "Flu."}
    for what, data in (("pause", {}), ("resume", {}), ("extend", late), ("abandon", {"how": "void", "note": "Flu."})):
        assert post(browser, season, what, **data).json()["error"]["code"] == "not_organiser"
    assert post(organiser, season, "pause", note="Flood.").json()["status"] == "paused"
    assert post(organiser, season, "pause").json()["error"]["code"] == "not_running"
    assert post(organiser, season, "resume").json()["status"] == "running"
    assert post(organiser, season, "extend", **late).status_code == 200
    assert post(organiser, season, "extend", **{**late, "round": 10**9}).status_code == 404
    number = season.entries.get(player=martha).number
    assert post(organiser, season, "withdraw", entrant=number, note="Left town.").json()["status"] == "withdrawn"
    assert post(organiser, season, "abandon", how="sideways", note="Flood.").status_code == 400
    assert post(organiser, season, "abandon", how="stands", note="Flood.").json()["status"] == "abandoned"


def test_what_a_season_is_played_by_stands_in_the_api(
    season: Season, otto: Player, sign_in: Callable[[Player], Client]
) -> None:
    data = sign_in(otto).get(f"/api/v1/seasons/{season.pk}/").json()
    assert data["settings"]["entry"]["invited_only"] is True
    assert data["settings"]["on_round_deadline"] == "adjudicate"
    changed = sign_in(otto).patch(
        f"/api/v1/seasons/{season.pk}/",
        {
            "entry": {"max_entrants": 8, "rating_max": 1700},
            "divisions": [{"name": "One"}, {"name": "Two"}],
            "promoted": 1,
        },
        content_type="application/json",
    )
    assert changed.status_code == 200
    assert changed.json()["settings"]["entry"] == {
        "players": "mixed",
        "no_agents": False,
        "rating_min": None,
        "rating_max": 1700,
        "invited_only": False,
        "max_entrants": 8,
        "late_rounds": 0,
        "check_in_hours": 0,
        "alternates": False,
        "stand_ins": False,
    }
    assert [each["name"] for each in changed.json()["divisions"]] == ["One", "Two"]
    bad = (
        sign_in(otto)
        .patch(f"/api/v1/seasons/{season.pk}/", {"entry": {"shoes": 2}}, content_type="application/json")
        .json()
    )
    assert (bad["error"]["code"], bad["error"]["field"]) == ("unknown_setting", "entry.shoes")


# the page


def press(browser: Client, season: Season, **sent: Any) -> str:
    """Press a button of the season's page, and return the page that follows."""
    address = f"/clubs/lantern/tens/{season.slug}/"
    return browser.post(f"{address}step/", sent, follow=True).content.decode()


def test_the_page_has_a_button_for_every_step(
    season: Season, martha: Player, laura: Player, otto: Player, sign_in: Callable[[Player], Client]
) -> None:
    browser, organiser = sign_in(martha), sign_in(otto)
    browser.post(f"/clubs/lantern/tens/{season.slug}/join/")
    assert "Asking to enter" in press(organiser, season)
    number = season.entries.get(player=martha).number
    assert "Martha: entered." in press(organiser, season, do="admit", entrant=number)
    assert "Martha is absent in round 2." in press(browser, season, do="answer-round", answer="no 2")
    assert "There is no such step" in press(browser, season, do="dance")
    entries.enter_season(season=season, player=laura)
    seasons.start_season(season=season)
    director.advance()
    assert "Withdraw" in press(browser, season)
    assert browser.post(f"/clubs/lantern/tens/{season.slug}/step/", {"do": "pause"}).status_code == 403
    assert "The season is paused." in press(organiser, season, do="pause", note="Flood.")
    assert "“Flood.”" in browser.get(f"/clubs/lantern/tens/{season.slug}/activity/").content.decode()
    assert "The season has been resumed." in press(organiser, season, do="resume")
    late = Round.objects.get()
    assert "Round 1 has been extended." in press(
        organiser, season, do="extend", round=late.pk, until="2026-12-24T18:00"
    )
    for bad in ("", "2026-99-99T10:00", "soon"):
        assert "Choose a round" in press(organiser, season, do="extend", round=late.pk, until=bad)
    step = f"/clubs/lantern/tens/{season.slug}/step/"
    assert "Withdrawn" in confirm(browser, step, {"do": "leave", "note": "Exams."}, follow=True).content.decode()
    ended = confirm(organiser, step, {"do": "abandon", "how": "stands", "note": "Flood."}, follow=True)
    assert "has been abandoned" in ended.content.decode()
