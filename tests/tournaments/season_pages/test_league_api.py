"""Clubs, seasons, standings, matches and ratings through the API, after a season has been played."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.common import clock
from games.common.rate_limits import forget_advances
from games.models import Game
from games.workers import runner
from tournaments.activity import timeline
from tournaments.director import director
from tournaments.season_pages.overview import timeline_page
from tournaments.seasons.models import Season

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def first_round(kept: None) -> int:
    """Return the id of the demo club's Chinese Ten season after its first round. The second round is open."""
    call_command("demo", at_once=True, bots_only=True, verbosity=0)
    director.advance()
    runner.play_due_games("test", budget_seconds=60)
    director.advance()
    with clock.frozen_at(clock.now() + timedelta(minutes=1)):
        director.advance()
    return Season.objects.filter(kind="chinese_ten").latest("id").pk


@pytest.fixture
def season(first_round: int) -> Season:
    return Season.objects.get(pk=first_round)


def get(address: str, **query: Any) -> Any:
    response = Client().get(f"/api/v1/{address}", query)
    assert response.status_code == 200, response.content
    return response.json()


def test_a_club_is_found_with_its_seasons(season: Season) -> None:
    club = get("clubs/")["results"][0]

    assert get(f"clubs/{club['slug']}/") == club
    seasons = get("seasons/", club=club["slug"], kind="chinese_ten")["results"]
    assert [row["id"] for row in seasons] == [season.pk]
    assert get("seasons/", club="elsewhere")["results"] == []


def test_standings_come_in_their_order_with_the_arithmetic(season: Season) -> None:
    rows = get(f"seasons/{season.pk}/standings/")["results"]

    assert [row["place"] for row in rows] == sorted(row["place"] for row in rows)
    assert len(rows) == 8
    assert sum(row["points"] for row in rows) == 4  # four matches, a point each
    assert all(row["row"] for row in rows)


def test_what_happened_is_told_in_the_words_of_the_page(season: Season) -> None:
    found = get(f"seasons/{season.pk}/timeline/")
    lines = found["results"]
    sheet = timeline_page(season, "")
    assert [line["what"] for line in lines] == [line.what for _day, lines in sheet.days for line in lines]
    recorded = next(line for line in lines if line["type"] == "game_recorded")
    assert all(player["name"] in recorded["text"] for player in recorded["players"])
    assert len(recorded["players"]) == 2
    assert recorded["head"] == Game.objects.get(public_id=recorded["game"]).stream.head.hex()


def test_what_happened_goes_on_by_cursor_to_the_beginning(season: Season, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = get(f"seasons/{season.pk}/timeline/")
    assert whole["next"] is None
    monkeypatch.setattr(timeline, "EVENTS_PER_PAGE", 5)
    address, lines = f"/api/v1/seasons/{season.pk}/timeline/", []
    while address:
        page = Client().get(address).json()
        assert len(page["results"]) <= 5
        lines += page["results"]
        address = page["next"]
    singly = [line for line in whole["results"] if line["type"] != "entrant_joined"]  # which share a line
    assert [line for line in lines if line["type"] != "entrant_joined"] == singly
    assert lines[-1]["type"] == "season_created"


@pytest.mark.parametrize("cursor", ["0", "-1", "x", "²", "9" * 10, "cD0x"])
def test_a_cursor_of_what_happened_that_was_made_up_leads_nowhere(season: Season, cursor: str) -> None:
    assert (
        Client().get(f"/api/v1/seasons/{season.pk}/timeline/", {"cursor": cursor}).json()["error"]["code"]
        == "bad_cursor"
    )


def test_every_match_of_a_round_says_why_and_names_its_games(season: Season) -> None:
    _second, first = get(f"seasons/{season.pk}/rounds/")["results"]

    matches = get("matches/", round=first["id"])["results"]

    assert len(matches) == 4
    for match in matches:
        assert match["reason"]
        assert [game["number"] for game in match["games"]] == [1, 2]
        assert get(f"games/{match['games'][0]['id']}/")["outcome"] == match["games"][0]["outcome"]


def test_games_and_matches_of_a_season_are_found_by_it(season: Season) -> None:
    matches = get("matches/", season=season.pk)["results"]
    games = get("games/", season=season.pk)["results"]
    assert len(matches) >= 4
    assert {game["id"] for game in games} == {game["id"] for match in matches for game in match["games"]}
    assert get("games/", season=10**9)["results"] == get("matches/", season=10**9)["results"] == []
    over = get("matches/", season=season.pk, finished_before="2100-01-01")["results"]
    assert over == [match for match in matches if match["finished_at"]]
    assert get("matches/", season=season.pk, finished_before="2001-01-01")["results"] == []


def test_ratings_of_a_round_add_up_to_what_they_were(season: Season) -> None:
    """Elo is a zero-sum account: what one wins the others lose."""
    ratings = get("ratings/", kind="chinese_ten", pool="bots")["results"]

    assert [row["rating"] for row in ratings] == sorted((row["rating"] for row in ratings), reverse=True)
    assert sum(row["rating"] for row in ratings) == pytest.approx(1500 * len(ratings))
    assert get("ratings/", player=ratings[0]["player"]["id"], kind="chinese_ten")["results"] == ratings[:1]
    assert {"kind": "chinese_ten", "pool": "bots"}.items() <= get("rating-pools/", kind="chinese_ten")["results"][
        0
    ].items()


@pytest.mark.parametrize("address", ["seasons/{}/standings/", "seasons/{}/rounds/", "matches/", "ratings/", "seasons/"])
def test_a_list_costs_a_constant_number_of_queries(season: Season, address: str) -> None:
    def read(page_size: int) -> tuple[int, int]:
        """Return (number of rows, number of queries)."""
        with CaptureQueriesContext(connection) as asked:
            rows = get(address.format(season.pk), page_size=page_size)["results"]
        return len(rows), len(asked)

    forget_advances()
    get("clubs/")  # which counts what follows in advance
    (few, queries), (many, as_many) = read(1), read(50)
    assert few < many
    assert queries == as_many <= 8  # a kept list asks for its version, and stores its answer
