"""A season of teams in a live game: line-ups, check-in, the countdown, the race, and the table."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.common import clock
from games.models import Game, Player
from games.play import services as play
from games.play.departures import RESIGNED
from games.workers import runner
from tests.tournaments.club import BEGIN, SEED
from tests.tournaments.teams.conftest import TeamSeason, new_season, register
from tournaments.director import director
from tournaments.lifecycle import services as seasons
from tournaments.maintenance.rebuild import find_differences
from tournaments.seasons.models import League, Match, Season
from tournaments.standings.models import Standing
from tournaments.teams import lineups

pytestmark = pytest.mark.django_db

LIVE = {"kind": "plate_spinner", "terms": {"pace": "live", "rated": False}}
HOUR = timedelta(hours=1)


@pytest.mark.slow
def test_bots_of_teams_race_as_workers_play_them(bot_teams: TeamSeason) -> None:
    season = bot_teams(count=2, players=2, **LIVE)
    moment = BEGIN
    for _turn in range(4):
        with clock.frozen_at(moment):
            director.advance()
            play.expire_due_games()  # the countdown
        runner.play_due_games("one")
        moment += timedelta(minutes=30)
    season.refresh_from_db()
    assert season.status == Season.Status.FINISHED
    assert Game.objects.filter(status=Game.Status.FINISHED, terms__pace="live").count() == 2
    assert sum(row.row["games"] for row in Standing.objects.all()) == 2  # board points, half of them by each
    assert list(find_differences(write=True)) == []


def test_people_of_teams_check_in_race_and_stand_in_the_table(league: League, people: list[Player]) -> None:
    """Each team names its first and third player; the Foxes win at both boards."""
    terms = {"pace": "live", "rated": True, "check_in_minutes": 10}
    with clock.frozen_at(BEGIN):
        season = new_season(league, kind="plate_spinner", terms=terms, format_options={"boards": 2})
        foxes, herons = register(season, "Foxes", people[:3]), register(season, "Herons", people[3:])
        seasons.start_season(season=season, seed=SEED)
        director.advance()
    match = Match.objects.get()
    with clock.frozen_at(BEGIN + HOUR):
        for team, named in ((foxes, people[:3:2]), (herons, people[3::2])):
            lineups.hand_in(match=match, entrant=team, players=[player.pk for player in named], by=named[0].user)
        director.advance()
    games = list(Game.objects.order_by("pk"))
    assert len(games) == 2
    assert {seat.player for game in games for seat in game.seats.all()} == {*people[:3:2], *people[3::2]}
    for game in games:
        assert game.begins_at
        for seat in (0, 1):
            with clock.frozen_at(game.begins_at - timedelta(minutes=1)):
                play.mark_ready(game=game, seat=seat)
        game.refresh_from_db()
        assert game.deadline
        with clock.frozen_at(game.deadline):
            assert play.expire_clocks(game=game)  # the countdown begins
        assert game.deadline
        with clock.frozen_at(game.deadline):
            assert play.expire_clocks(game=game)  # go
            play.leave_game(game=game, seat=game.seats.get(player__in=people[3:]).seat, how=RESIGNED)
    with clock.frozen_at(BEGIN + 3 * HOUR):
        director.advance()
    table = Standing.objects.order_by("place").values_list("entrant__player__name", "points")
    assert [(name, float(points)) for name, points in table] == [("Foxes", 1.0), ("Herons", 0.0)]
    assert list(find_differences(write=True)) == []
