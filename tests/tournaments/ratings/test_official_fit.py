"""The official table of a season of bots (docs/explanation/ratings.md): it is the fit of the log after each closed
round."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model

from games.common import clock
from games.models import Player
from scorebook_games.analysis.plackett_luce import Fit
from tests.tournaments.club import BEGIN, Start, play_all, play_season
from tournaments.bot_pages import detail as bot_detail
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.maintenance.rebuild import find_differences
from tournaments.ratings import official_fit, pools
from tournaments.ratings.models import Rating, Strength
from tournaments.seasons import stream
from tournaments.seasons.models import League

pytestmark = pytest.mark.django_db


def test_each_closed_round_brings_the_table_up_to_date(running: Start) -> None:
    season = running(4)
    games = []
    for turn in range(2):
        with clock.frozen_at(BEGIN + timedelta(minutes=turn)):
            director.advance()
            play_all(turn)
            director.advance()
        games.append(sum(Strength.objects.values_list("games", flat=True)))
    assert games == [4 * 2, 4 * 4]
    folded = stream.fold_season(season)
    fit = Fit([1, 2, 3, 4], official_fit.rated_games_of(folded.division(1)))
    rows = list(Strength.objects.select_related("entrant"))
    assert [(row.entrant.number, row.place, row.low, row.high) for row in rows] == [
        (one.player, one.place, one.low, one.high) for one in fit.strengths
    ]
    assert [row.rating for row in rows] == pytest.approx([one.rating for one in fit.strengths])
    assert [row.half for row in rows] == pytest.approx([one.half for one in fit.strengths])


def test_chances_stand_against_everybody_else_in_the_order_of_the_table(running: Start) -> None:
    play_season(running(3))
    rows = list(Strength.objects.select_related("entrant"))
    order = [row.entrant.number for row in rows]
    for row in rows:
        assert [other for other, *_ in row.chances] == [number for number in order if number != row.entrant.number]
        assert all(0 < low < chance < high < 1 for _, chance, low, high in row.chances)


def test_bots_that_have_not_played_yet_do_not_stand_in_it(running: Start) -> None:
    season = running(3)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    resting = season.divisions.get().rounds.get(number=1).byes.get().entrant
    assert Strength.objects.count() == 2
    assert not Strength.objects.filter(entrant=resting).exists()


def test_where_people_play_there_is_none(league: League, bots: list[Player]) -> None:
    martha = Player.objects.create(user=get_user_model().objects.create_user("martha"), name="Martha")
    with clock.frozen_at(BEGIN):
        season = seasons.create_season(league=league, name="Autumn", kind="chinese_ten", options={"packs": 1})
        entries.enter_players(season=season, players=[martha, bots[0]])
        season = seasons.start_season(season=season)
        director.advance()
        play_all()
        director.advance()
    assert season.pool == "mixed"
    assert stream.fold_season(season).division(1).rounds[0].closed
    assert not Strength.objects.exists()


def test_a_game_that_somebody_never_came_to_says_nothing_of_strength(running: Start) -> None:
    season = running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    division = stream.fold_season(season).division(1)
    assert len(list(official_fit.rated_games_of(division))) == 2
    division.rounds[0].matches[0].records[1]["absent"] = [0]
    assert len(list(official_fit.rated_games_of(division))) == 1


def test_above_two_hundred_bots_there_is_none(running: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    season = running(3)
    play_season(season)
    folded = stream.fold_season(season)
    monkeypatch.setattr(official_fit, "MAX_MATRIX_BOTS", 2)
    assert {tuple(row["chances"]) for row in official_fit.fit_strengths(folded, folded.division(1)).values()} == {()}
    monkeypatch.setattr(official_fit, "MAX_BOTS", 2)
    assert official_fit.fit_strengths(folded, folded.division(1)) == {}
    assert len(list(find_differences(write=True))) == 3
    assert not Strength.objects.exists()


def test_a_bot_is_shown_with_its_official_figure_of_the_latest_season(league: League, running: Start) -> None:
    play_season(running(3))
    with clock.frozen_at(BEGIN + timedelta(days=1)):
        later = seasons.create_season(
            league=league, name="Winter", kind="chinese_ten", options={"packs": 1}, calendar={"seconds": 60}
        )
        players = [row.entrant.player for row in Strength.objects.select_related("entrant__player__bot_version__bot")]
        entries.enter_players(season=later, players=players[:2])
        seasons.start_season(season=later)
        director.advance()
        play_all()
        director.advance()
    versions = [player.bot_version for player in players if player.bot_version]
    shown = bot_detail.ratings_by_version(versions)
    for player, version in zip(players, versions, strict=True):
        row = Strength.objects.filter(entrant__player=player).latest("entrant__division__season__starts_at")
        (figure,) = shown[version.pk]
        assert (figure.title, figure.where) == ("Chinese Ten", row.entrant.division.season.name)
        assert (figure.rating, figure.half, figure.games) == (row.rating, row.half, row.games)
    assert [shown[version.pk][0].where for version in versions] == ["Winter", "Winter", "Autumn 2026"]
    Club.objects.update(visibility=Club.Visibility.PRIVATE)
    hidden = bot_detail.ratings_by_version(versions)
    assert [figures[0] for figures in hidden.values()] == [replace(each[0], where="") for each in shown.values()]


def test_where_a_bot_has_played_people_only_it_is_shown_with_its_elo(bots: list[Player]) -> None:
    pool = pools.lock_pool("palace", "mixed")
    Rating.objects.create(pool=pool, player=bots[0], rating=1550, games=12)
    version = bots[0].bot_version
    assert version
    (figure,) = bot_detail.ratings_by_version([version])[version.pk]
    assert (figure.title, figure.where, figure.rating) == ("Palace", "people and bots together", 1550)
