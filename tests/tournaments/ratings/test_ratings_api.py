"""Official strengths, leaderboards and suppositions through the API: open to everybody, paged, at a constant cost."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.common import clock, rate_limits
from games.models import Player
from tests.tournaments.club import BEGIN, NAMES, builtin_bots, new_club, play_all
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.ratings.models import Rating, Strength
from tournaments.seasons.models import League, Match, Season
from tournaments.standings import what_if_views
from tournaments.standings.api import PositionPagination
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def played(kept: None) -> int:
    """Return the id of a season of five bots after its first round. The second round is open."""
    owner = get_user_model().objects.create_user("niamh")
    club = new_club(name="Lantern Street", slug="lantern", zone="Europe/Dublin", owner=owner)
    league = League.objects.create(club=club, name="Chinese Ten League", slug="chinese-ten")
    return second_round(league, builtin_bots(NAMES[:5]), name="Autumn").pk


def second_round(league: League, players: Iterable[Player], **settings: Any) -> Season:
    """Return a season of these players after its first round. The second round is open."""
    with clock.frozen_at(BEGIN):
        made = seasons.create_season(
            league=league, kind="chinese_ten", options={"packs": 1}, calendar={"seconds": 60}, **settings
        )
        entries.enter_players(season=made, players=list(players))
        made = seasons.start_season(season=made)
        director.advance()
        play_all(match_game__match__round__division__season=made)
        director.advance()
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        director.advance()
    return made


@pytest.fixture
def season(played: int) -> Season:
    return Season.objects.get(pk=played)


def get(address: str, status: int = 200, **query: Any) -> Any:
    response = Client().get(f"/api/v1/{address}", query)
    assert response.status_code == status, response.content
    return response.json()


def test_strengths_come_by_place_with_their_intervals(season: Season) -> None:
    rows = get(f"seasons/{season.pk}/strengths/")["results"]
    assert [row["place"] for row in rows] == sorted(row["place"] for row in rows)
    assert len(rows) == 4  # one rested
    for row in rows:
        own = Strength.objects.get(entrant=row["entrant"]["id"])
        assert (row["rating"], row["half"], row["low"], row["high"]) == (own.rating, own.half, own.low, own.high)
        assert row["decided"] == (own.low == own.high)
        assert len(row["chances"]) == 3


def test_strengths_are_paged(season: Season) -> None:
    first = get(f"seasons/{season.pk}/strengths/", page_size=3)
    assert len(first["results"]) == 3
    assert first["next"]
    assert len(Client().get(first["next"]).json()["results"]) == 1


def test_standings_are_paged_to_their_end_though_many_share_a_place(
    season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first round of a large season, thousands share a place. A cursor counts rows of one value up to a
    limit."""
    monkeypatch.setattr(PositionPagination, "offset_cutoff", 1)
    Standing.objects.update(place=1)
    found, page = [], get(f"seasons/{season.pk}/standings/", page_size=1)
    while page["next"]:
        found += page["results"]
        page = Client().get(page["next"]).json()
    found += page["results"]
    rows = Standing.objects.filter(division__season=season)
    assert [row["entrant"]["number"] for row in found] == list(rows.values_list("entrant__number", flat=True))
    assert {row["division"] for row in found} == {1}


def test_a_season_of_people_has_no_strengths(season: Season) -> None:
    Strength.objects.all().delete()
    assert get(f"seasons/{season.pk}/strengths/")["results"] == []


def test_ratings_say_whether_they_are_provisional_and_are_found_by_name(season: Season) -> None:
    rated = Rating.objects.latest("pk").player  # the lot may have let others rest
    Rating.objects.filter(player=rated).update(games=20)
    rows = get("ratings/", kind="chinese_ten", pool="bots")["results"]
    shown = {row["player"]["name"]: row["provisional"] for row in rows}
    assert shown == {name: name != rated.name for name in shown}
    assert len(shown) > 1
    found = get("ratings/", name=rated.name[:4].upper())["results"]
    assert [row["player"]["name"] for row in found] == [rated.name]


def test_suppositions_answer_with_the_open_games_and_the_table_that_follows(season: Season) -> None:
    asked = get(f"seasons/{season.pk}/what-if/")
    match = Match.objects.filter(round__number=2).earliest("table")
    numbers = list(match.entrants.order_by("order").values_list("entrant__number", flat=True))
    assert asked["games"][0] == {"game": f"{match.pk}-1", "round": 2, "table": 1, "entrants": numbers}
    assert len(asked["games"]) == 4
    before = {row.entrant.number: row.points for row in Standing.objects.select_related("entrant")}
    assert {row["entrant"]: row["points_now"] for row in asked["standings"]} == before
    then = get(f"seasons/{season.pk}/what-if/", end=[f"{match.pk}-1:1.2", f"{match.pk}-2:2.1"])
    points = {row["entrant"]: row["points"] for row in then["standings"]}
    assert points[numbers[0]] == before[numbers[0]] + 1
    assert points[numbers[1]] == before[numbers[1]]
    assert len(then["games"]) == 4  # nothing is changed by it


@pytest.mark.parametrize(
    "query", [{"end": "x"}, {"end": "1-1:1.2"}, {"end": "1-1"}, {"end": "{}-1:1.3"}, {"division": "7"}]
)
def test_what_cannot_be_supposed_is_refused_with_a_sentence(season: Season, query: dict[str, str]) -> None:
    match = Match.objects.filter(round__number=2).earliest("table")
    found = get(f"seasons/{season.pk}/what-if/", 400, **{name: text.format(match.pk) for name, text in query.items()})
    assert found["error"]["code"] == "bad_supposition"
    assert found["error"]["sentence"].endswith(".")


def test_a_season_that_does_not_run_or_is_too_large_is_not_supposed_about(
    season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(what_if_views, "MAX_WHAT_IF_ENTRANTS", 4)
    assert get(f"seasons/{season.pk}/what-if/", 409)["error"]["code"] == "too_many_entrants"
    Season.objects.update(status=Season.Status.FINISHED)
    assert get(f"seasons/{season.pk}/what-if/", 409)["error"]["code"] == "not_running"


@pytest.mark.parametrize("address", ["seasons/{}/strengths/", "seasons/{}/what-if/"])
def test_each_costs_a_constant_number_of_queries(season: Season, address: str) -> None:
    """The season of five is compared with a season of two."""

    def queries(of: Season) -> int:
        rate_limits.forget_advances()
        with CaptureQueriesContext(connection) as asked:
            get(address.format(of.pk))
        return len(asked)

    players = [entrant.player for entrant in season.entries.all()[:2]]
    small = second_round(season.league, players, name="Winter", format="double_round_robin")
    assert queries(season) == queries(small) <= 8
