"""Several rulings about the same games, one after the other, each of which replaces the one before.

In every order, log, rows, standings, ratings, pages and files agree (`rebuild` finds no difference). If the last ruling
gives the result that was played, everything is as it was at first.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.common.errors import DomainError
from tests.assertions.page import Page
from tests.parameters import mostly_slow
from tests.tournaments.club import BEGIN, Start, play_all
from tests.tournaments.rulings.test_rulings import WHY, go, match_of
from tests.tournaments.rulings.test_rulings import niamh as niamh
from tests.tournaments.rulings.test_rulings import season as season
from tournaments.director import record_results
from tournaments.importexport import export as importexport_export
from tournaments.maintenance.rebuild import find_differences
from tournaments.ratings.models import Rating, RatingChange
from tournaments.rulings import services as rulings
from tournaments.seasons.models import Match, MatchGame, OrganiserAction, Season
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db(transaction=True)


def standings(season: Season) -> dict[int, float]:
    rows = Standing.objects.filter(entrant__division__season=season)
    return {row.entrant.number: row.points for row in rows.select_related("entrant")}


def done_to(player: int) -> dict[int, float]:
    """Return game → the sum of its changes of a player's rating, without games whose sum is 0."""
    done: dict[int, float] = defaultdict(float)
    for change in RatingChange.objects.filter(player=player):
        done[change.game_id] += change.after - change.before
    return {game: delta for game, delta in done.items() if abs(delta) > 1e-9}


def added_up(data: dict[str, Any]) -> dict[int, float]:
    """Compute the standings from the results of a season's file. A match of two games gives 1, ½ or 0 points."""
    points = {each["number"]: 0.0 for each in data["entrants"]}
    for round in data["rounds"]:
        if round["status"] != "closed":
            continue
        for match in round["matches"]:
            latest = {game["number"]: game for game in match["games"]}
            counting = [game for game in latest.values() if game["placings"]]
            waits = any(game["status"] == "playing" and not game["ruling"] for game in latest.values())
            if waits or not counting:
                continue
            won = dict.fromkeys(match["entrants"], 0.0)
            for game in counting:
                for entrant, place in zip(game["seats"], game["placings"], strict=True):
                    won[entrant] += 0.5 if game["placings"].count(1) == 2 else float(place == 1)
            one, other = match["entrants"]
            share = 0.5 if won[one] == won[other] else float(won[one] > won[other])
            points[one] += share
            points[other] += 1 - share
            assert match["points"] in ([share, 1 - share], None)
    return points


def assert_all_agree(season: Season) -> None:
    assert list(find_differences()) == []
    data = json.loads(importexport_export.as_json(season))
    assert added_up(data) == standings(season)
    assert {row["entrant"]: row["points"] for row in data["standings"]} == standings(season)
    shown = Client().get(f"/api/v1/seasons/{season.pk}/standings/").json()["results"]
    assert {row["entrant"]["number"]: row["points"] for row in shown} == standings(season)
    for player in Rating.objects.values_list("player", flat=True):
        assert Rating.objects.get(player=player).rating == pytest.approx(1500 + sum(done_to(player).values()))


def some_decision(match: Match, by: User, chance: random.Random) -> str:
    """Make one of three rulings about a game of the match. Return its name, or the code of the refusal."""
    game = chance.choice([1, 2])
    what = chance.choice(["adjudicate", "adjudicate", "annul", "replay"])
    try:
        if what == "adjudicate":
            places = chance.choice([(1, 2), (2, 1), (1, 1)])
            about = chance.choice([game, None])
            rulings.adjudicate(match=match, game=about, places=places, by=by, note=WHY)
        elif what == "annul":
            rulings.annul_game(match=match, game=game, by=by, note=WHY)
        else:
            rulings.order_replay(match=match, game=game, by=by, note=WHY)
    except DomainError as error:
        return error.code
    return what


@pytest.mark.parametrize("seed", mostly_slow(range(8), [0]))
def test_after_each_of_three_decisions_in_a_row_everything_agrees(season: Season, niamh: User, seed: int) -> None:
    chance = random.Random(seed)
    for turn in range(3):
        sentence = some_decision(match_of(1), niamh, chance)
        assert sentence in ("adjudicate", "annul", "replay", "annulled_already")
        assert_all_agree(season)
        if chance.random() < 0.5:
            play_all(turn)
            go(1)
            assert_all_agree(season)


@pytest.mark.slow
def test_who_is_told_at_last_what_was_played_has_everything_back(season: Season, niamh: User) -> None:
    """The game is decided twice, annulled, and then decided as it was played. Then its changes of the ratings and the
    standings are the first ones."""
    match = match_of(1)
    players = list(Rating.objects.values_list("player", flat=True))
    before, table = {player: done_to(player) for player in players}, standings(season)
    game = MatchGame.objects.get(match=match, number=1)
    assert game.game.outcome
    played = game.game.outcome["placings"]
    for places in ((1, 1), played[::-1]):
        rulings.adjudicate(match=match, game=1, places=places, by=niamh, note=WHY)
        assert_all_agree(season)
        assert {player: done_to(player) for player in players} != before
    rulings.annul_game(match=match, game=1, by=niamh, note=WHY)
    assert_all_agree(season)
    assert all(game.game_id not in done_to(player) for player in players)
    rulings.adjudicate(match=match, game=1, places=played, by=niamh, note=WHY)
    assert_all_agree(season)
    assert standings(season) == table
    for player in players:
        assert done_to(player) == pytest.approx(before[player])
    assert OrganiserAction.objects.count() == 4


@pytest.mark.slow
def test_a_game_played_again_twice_counts_once(season: Season, niamh: User) -> None:
    match = match_of(1)
    for turn in range(2):
        rulings.order_replay(match=match, game=2, by=niamh, note=WHY)
        assert_all_agree(season)
        with clock.frozen_at(BEGIN):
            play_all(turn)
            record_results.record_results(season=season)
        assert_all_agree(season)
    last = MatchGame.objects.filter(match=match, number=2).order_by("replay").last()
    assert last
    assert last.replay == 2
    counts: dict[int, int] = defaultdict(int)
    for change in RatingChange.objects.filter(game__match_game__match=match, game__match_game__number=2):
        counts[change.game_id] += change.counted
    assert {game for game, number in counts.items() if number} == {last.game_id}


@pytest.mark.slow
def test_the_page_of_the_match_shows_the_last_word_only(season: Season, niamh: User, running: Start) -> None:
    match = match_of(1)
    one, other = (each.entrant.player.name for each in match.entrants.select_related("entrant__player"))
    rulings.adjudicate(match=match, game=1, places=(1, 2), by=niamh, note=WHY)
    rulings.adjudicate(match=match, game=1, places=(2, 1), by=niamh, note=WHY)
    text = Page.of(Client().get(f"/matches/{match.pk}/")).text
    assert f"1. {other}" in text
    assert f"1. {one}" not in text
    rulings.annul_game(match=match, game=1, by=niamh, note=WHY)
    text = Page.of(Client().get(f"/matches/{match.pk}/")).text
    assert "Annulled" in text
    assert f"1. {other}" not in text
