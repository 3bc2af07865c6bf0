"""Tests of a format, a tie-break and a setting that the platform does not name. `test_lots.py` runs them in a separate
process, which finds the package."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from config.docs import options_table
from tests.factories import worlds
from tests.tournaments.club import play_season
from tournaments.clubs.models import Club
from tournaments.maintenance.rebuild import find_differences
from tournaments.seasons.models import Season
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db
SETTING = "scorebook_lots_first_round"


@pytest.fixture
def season() -> Season:
    """Return a season of four bots with the format, the tie-break and the setting of the package."""
    chosen = {"format": "drawn_pairs", "tie_breaks": ["best_round", "lots"], "games_a_match": 2, SETTING: 2}
    return worlds.season(worlds.league(), worlds.bots(), 4, **chosen)


def test_a_season_is_played_placed_and_shown_with_them(season: Season) -> None:
    play_season(season)
    assert (season.status, season.format) == ("finished", "drawn_pairs")
    assert season.divisions.get().rounds.count() == 2
    rows = [standing.row for standing in Standing.objects.filter(division__season=season)]
    assert all(row["tie_breaks"][0]["name"] == "best_round" for row in rows)
    assert all(row["tie_breaks"][0]["value"] == row["lines"][1]["points"] for row in rows)  # the second round counts
    assert list(find_differences(write=True)) == []
    page = Client().get(f"/clubs/{season.path}/standings/").content.decode()
    assert ">Best<" in page.replace("\n", "").replace(" ", "")
    settings = Client().get(f"/clubs/{season.path}/settings/").content.decode()
    for text in ("Pairs drawn by lot", "Rounds drawn", "Best round (the most points in one round)", "from round"):
        assert text in settings


def test_form_api_and_documents_offer_them() -> None:
    club: Club = worlds.league().club
    client = Client()
    client.force_login(club.owner)
    form = client.post(
        f"/clubs/{club.slug}/new-season/", {"format": "drawn_pairs", "kind": "chinese_ten"}
    ).content.decode()
    for text in ("Pairs drawn by lot", "Rounds drawn", "best round", "Best round from round"):
        assert text in form
    plan: dict[str, Any] = {
        "club": club.slug,
        "name": "Spring",
        "kind": "chinese_ten",
        "format": "drawn_pairs",
        "bots": {"random": 4},
    }
    plan[SETTING] = 2
    shown = client.post("/api/v1/seasons/preview/", plan, content_type="application/json")
    assert shown.status_code == 200, shown.content
    refused = client.post("/api/v1/seasons/preview/", {**plan, "format": "none"}, content_type="application/json")
    assert (refused.status_code, "drawn_pairs" in refused.json()["error"]["sentence"]) == (400, True), refused.content
    outside = client.post("/api/v1/seasons/preview/", {**plan, SETTING: 21}, content_type="application/json")
    assert (outside.status_code, outside.json()["error"]["field"]) == (400, SETTING), outside.content
    assert SETTING in Client().get("/api/v1/schema/", headers={"accept": "application/json"}).content.decode()
    assert "| `best_round` | best round |" in options_table.text()
    assert f"| `{SETTING}` | 1 to 20 | `1` |" in options_table.text()
    assert "## Format `drawn_pairs`" in options_table.text()
