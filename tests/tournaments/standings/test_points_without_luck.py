"""Points without luck are a setting of a season and a column beside the official points. They decide nothing."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from games.common.errors import DomainError
from games.models import Game, Player, Seat
from replays.review.models import LuckLedger
from replays.review.tasks import compute_ledgers
from scorebook_games.analysis.student import t_quantile
from scorebook_games.registry import KINDS
from tests.factories import worlds
from tests.tournaments.club import BEGIN, play_season
from tournaments.lifecycle import services as seasons
from tournaments.seasons.events.lifecycle import SeasonCreated
from tournaments.seasons.models import League, MatchGame, Season
from tournaments.seasons.settings import parse_settings
from tournaments.seasons.stream import timed_season_log
from tournaments.standings.intervals import interval_of_sum
from tournaments.standings.luck import points_without_luck, worth_of_game
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db


@pytest.fixture
def season(league: League, bots: list[Player]) -> Season:
    """Return a finished season of four bots that shows points without luck, with the luck ledgers of all its games."""
    made = worlds.season(league, bots, luck="shown", format="round_robin", games_a_match=1)
    play_season(made)
    compute_ledgers()
    return made


def address(season: Season) -> str:
    return f"/clubs/lantern/chinese-ten/{season.slug}/standings/"


def rows_of(season: Season) -> list[Standing]:
    return list(Standing.objects.filter(entrant__season=season).select_related("entrant__player", "division"))


def test_the_hash_of_the_value_function_stands_in_the_seasons_first_event(season: Season) -> None:
    value = KINDS["chinese_ten"].value
    assert value
    first, _at = timed_season_log(season)[0]
    assert isinstance(first, SeasonCreated)
    assert (first.settings["luck"], first.settings["value_hash"]) == ("shown", value.hash)


def test_points_without_luck_are_the_points_minus_the_luck_of_each_game(season: Season) -> None:
    found = points_without_luck(season, rows_of(season))
    for row in rows_of(season):
        luck = 0.0
        for seat in Seat.objects.filter(player=row.entrant.player):
            luck += LuckLedger.objects.get(game=seat.game_id).luck[seat.seat]
        mine = found[row.entrant.number]
        assert mine.points == pytest.approx(row.points - luck, abs=1e-9)
        assert (mine.games, mine.missing) == (3, 0)
        assert mine.half is not None
        assert mine.half > 0
    assert sum(each.points for each in found.values()) == pytest.approx(sum(row.points for row in rows_of(season)))


@pytest.mark.slow
def test_games_without_a_ledger_by_the_seasons_value_function_count_as_played(client: Client, season: Season) -> None:
    assert "have no ledger by it" not in client.get(address(season)).content.decode()
    LuckLedger.objects.update(value_hash="0" * 16)
    found = points_without_luck(season, rows_of(season))
    for row in rows_of(season):
        assert found[row.entrant.number].points == row.points
        mine = found[row.entrant.number]
        assert (mine.games, mine.missing, mine.half) == (0, 3, None), "no interval from what is not known"
    assert "have no ledger by it" in client.get(address(season)).content.decode()


def test_a_game_that_an_organiser_decided_keeps_its_luck(season: Season) -> None:
    one = MatchGame.objects.first()
    assert one
    MatchGame.objects.filter(pk=one.pk).update(ruling="adjudicated", result={"scores": [1, 0], "placings": [1, 2]})
    players = set(one.game.seats.values_list("player", flat=True))
    found = points_without_luck(season, rows_of(season))
    for row in rows_of(season):
        mine = found[row.entrant.number]
        decided = row.entrant.player_id in players
        assert (mine.games, mine.half is None) == ((2, True) if decided else (3, False)), "two rounds are no sample"


def test_a_game_whose_deal_is_still_secret_tells_nothing_by_its_luck(season: Season) -> None:
    game = Game.objects.filter(match_game__match__round__division__season=season).first()
    assert game
    type(game.deal).objects.filter(pk=game.deal_id).update(revealed_at=None)
    found = points_without_luck(season, rows_of(season))
    assert sum(each.missing for each in found.values()) == 2


def test_page_and_api_show_the_column_and_why_it_decides_nothing(client: Client, season: Season) -> None:
    page = client.get(address(season)).content.decode()
    assert "Without luck" in page
    assert "Only the points decide" in page
    assert season.settings["value_hash"] in page
    rows = client.get(f"/api/v1/seasons/{season.pk}/standings/").json()["results"]
    found = points_without_luck(season, rows_of(season))
    for row in rows:
        assert row["without_luck"] == found[row["entrant"]["number"]].plain()
        shown = f"{row['without_luck']['points']:.1f} ± {row['without_luck']['half']:.1f}".replace("-", "−")
        assert shown in page
    assert [row["place"] for row in rows] == sorted(row["place"] for row in rows)


def test_a_season_shows_no_luck_unless_its_settings_say_so(client: Client, league: League, bots: list[Player]) -> None:
    made = worlds.season(league, bots, entrants=2, format="round_robin", games_a_match=1)
    play_season(made)
    compute_ledgers()
    assert (made.settings["luck"], made.settings["value_hash"]) == ("hidden", "")
    assert "Without luck" not in client.get(address(made)).content.decode()
    rows = client.get(f"/api/v1/seasons/{made.pk}/standings/").json()["results"]
    assert {row["without_luck"] for row in rows} == {None}


def test_the_setting_cannot_be_changed_once_the_season_has_begun(season: Season) -> None:
    with pytest.raises(DomainError) as refused:
        seasons.change_season(season=season, name="Autumn 2026", starts_at=BEGIN, repeats=False, kind="chinese_ten")
    assert refused.value.code == "season_started"


@pytest.mark.parametrize(
    "asked",
    [
        {"luck": "perhaps"},
        {"luck": "shown", "format": "knockout"},
        {"luck": "shown", "points": {"system": "score", "scale": [1]}},
        {"luck": "shown", "value_hash": "0123456789abcdef"},
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(DomainError) as refused:
        parse_settings({"kind": "chinese_ten", **asked})
    assert refused.value.field in ("luck", "value_hash")


def test_a_kind_without_a_value_function_cannot_show_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "chinese_ten", replace(KINDS["chinese_ten"], value=None))
    with pytest.raises(DomainError) as refused:
        parse_settings({"kind": "chinese_ten", "luck": "shown"})
    assert (refused.value.code, refused.value.field) == ("bad_setting", "luck")


def test_a_value_function_without_its_weights_is_refused_like_none(
    league: League, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A season posted for such a kind was answered with 500."""
    kind = KINDS["chinese_ten"]
    assert kind.value
    lacking = copy(kind.value)
    vars(lacking).pop("stored", None)
    lacking.file = tmp_path / "none.json"
    monkeypatch.setitem(KINDS, "chinese_ten", replace(kind, value=lacking))
    asked = {"club": league.club.slug, "league": league.slug, "name": "Lacking", "kind": "chinese_ten", "luck": "shown"}
    client = Client(headers={"accept": "application/json"})
    client.force_login(league.club.owner)
    answer = client.post("/api/v1/seasons/", asked, content_type="application/json")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (400, "bad_setting", "luck")


@pytest.mark.parametrize(
    ("settings", "worth"),
    [
        ({"games_a_match": 2}, 0.5),
        ({"games_a_match": 4, "points": {"system": "match_points", "scale": [3, 1]}}, 0.5),
        ({"table_size": 4, "points": {"system": "placing", "scale": [5, 3, 2, 1]}}, 4),
        ({"table_size": 4, "points": {"system": "game_wins", "scale": [1]}}, 1),
    ],
)
def test_what_a_game_is_worth(settings: dict[str, Any], worth: float) -> None:
    agreed = parse_settings({"kind": "chinese_ten", "format": "round_robin", **settings})
    assert worth_of_game(agreed.plain()) == worth


def test_the_interval_of_a_sum() -> None:
    assert interval_of_sum([1.0, 0.0]) is None
    assert interval_of_sum([1.0, 0.0, 1.0, 0.0]) == pytest.approx(t_quantile(3) * (1 / 3 * 4) ** 0.5)
    assert interval_of_sum([1.0, 1.0, 1.0]) is None, "equal rounds say nothing of how much rounds differ"
    assert interval_of_sum([1.0, 1.0, 1.01]) is None, "it would be shown as ± 0.0"
    assert interval_of_sum([1.0, 0.0] * 50) == pytest.approx(1.96 * (0.25 * 100 / 99 * 100) ** 0.5)
