"""Whole seasons of teams: their boards are played, match and board points follow, and the log makes all rows again."""

from __future__ import annotations

import json
from datetime import timedelta
from fractions import Fraction

import pytest

from games.common import clock
from games.models import Game, Player
from tests.parameters import mostly_slow
from tests.tournaments.club import BEGIN, SEED, builtin_bots, new_club, play_all, play_season
from tests.tournaments.teams.conftest import TeamSeason, new_season, register
from tournaments.core.results import FILLER_BOT
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.formats import FORMATS
from tournaments.importexport.entrants import import_season
from tournaments.importexport.export import season_data
from tournaments.lifecycle import services as seasons
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.maintenance.rebuild import find_differences
from tournaments.matches.boards import team_boards
from tournaments.ratings.models import RatingChange
from tournaments.rulings import services as rulings
from tournaments.rulings.substitutions import substitute
from tournaments.seasons.models import BoardPlayer, EmptyBoard, Entrant, League, Match, MatchGame, Round, Season
from tournaments.seasons.stream import fold_season
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db

TEAM_FORMATS = [key for key, format in FORMATS.items() if format.by_teams]


@pytest.mark.parametrize("key", mostly_slow(TEAM_FORMATS, ["team_swiss"]))
def test_each_format_of_teams_is_played_to_its_end(bot_teams: TeamSeason, key: str) -> None:
    games = 4 if key == "scheveningen" else 2
    season = play_season(bot_teams(format=key))
    rows = list(Standing.objects.select_related("entrant__player").order_by("position"))
    assert sorted(row.entrant.player.name for row in rows) == ["Team 1", "Team 2", "Team 3"]
    assert [row.place for row in rows] == [1, 2, 3]
    matches = Match.objects.count()
    assert sum(row.row["games"] for row in rows) == games * matches == MatchGame.objects.count()
    assert BoardPlayer.objects.count() == 4 * matches
    for match, sheet in team_boards(season, list(Match.objects.values_list("pk", flat=True))).items():
        sums = [sum((line.points or ())[side] for line in sheet.lines) for side in (0, 1)]
        logged = fold_season(season).matches[match]
        first, other = logged.entrants
        points = fold_season(season).points()
        assert sums == [
            sum(points.of_game(game)[game.seats.index(team)] for game in logged.result().games)
            for team in (first, other)
        ]


@pytest.mark.slow
def test_ratings_are_those_of_the_players_not_of_the_teams(bot_teams: TeamSeason) -> None:
    play_season(bot_teams())
    rated = set(RatingChange.objects.values_list("player", flat=True))
    assert rated == set(BoardPlayer.objects.values_list("player", flat=True))
    assert not Player.objects.filter(pk__in=rated, is_team=True).exists()


class WholeSeason:
    """A season of teams of bots, in which a player is substituted, a team withdraws, one has too few players, and a
    result is corrected."""

    def __init__(self, league: League, teams: int, boards: int) -> None:
        self.boards, self.owner = boards, league.club.owner
        with clock.frozen_at(BEGIN):
            options = {"boards": boards, "rounds": 3 if teams < 10 else 7}
            points = {"system": "match_points", "scale": [2], "bye": 2}
            self.season = new_season(league, format="team_swiss", format_options=options, points=points)
            bots = builtin_bots(f"Bot {number}" for number in range(teams * (boards + 1)))
            for number in range(teams):
                own = bots[number * (boards + 1) : (number + 1) * (boards + 1)]
                register(self.season, f"Team {number + 1}", own if number else own[: boards - 1])
            seasons.start_season(season=self.season, seed=SEED)
        self.moment = BEGIN

    def advance(self) -> None:
        self.moment += timedelta(minutes=1)
        with clock.frozen_at(self.moment):
            director.advance()

    def round(self, turn: int) -> None:
        """Pair a round, and play it."""
        self.advance()
        if turn == 1:
            self.substitute()
        with clock.frozen_at(self.moment):
            play_all(turn)
        self.advance()
        if turn == 0:  # the second round is paired by now
            self.withdraw()
        if turn == 1:
            self.correct()

    def substitute(self) -> None:
        """Let the last player of a team come instead of the first."""
        row = BoardPlayer.objects.filter(board=1).exclude(entrant__number=1).order_by("-match_id").first()
        assert row
        last = row.entrant.members.order_by("-order").first()
        assert last
        self.substituted = last.player
        with clock.frozen_at(self.moment):
            substitute(match=row.match, team=row.entrant, board=1, player=last.player, by=self.owner, note="Ill.")

    def withdraw(self) -> None:
        """Withdraw the second team."""
        team = Entrant.objects.get(season=self.season, number=2)
        with clock.frozen_at(self.moment):
            entries.leave_season(entrant=team, by=self.owner, why="declined", note="Disbanded.")

    def correct(self) -> None:
        """Turn the result of a board of a closed round round."""
        closed = MatchGame.objects.filter(match__round__status=Round.Status.CLOSED, ruling="", number=1)
        self.corrected = closed.filter(match__round__number=1).order_by("pk")[0]
        before = (self.corrected.counts or {})["placings"]
        places = [2, 1] if before[0] == 1 else [1, 2]
        with clock.frozen_at(self.moment):
            rulings.adjudicate(match=self.corrected.match, game=1, places=places, by=self.owner, note="Misread.")

    def play(self) -> Season:
        for turn in range(20):
            self.round(turn)
            self.season.refresh_from_db()
            if self.season.status == Season.Status.FINISHED:
                return self.season
        raise AssertionError("The season does not end.")


def check_whole_season(played: WholeSeason, teams: int) -> None:
    season, folded = played.season, fold_season(played.season)
    rows = list(Standing.objects.filter(division__season=season))
    assert len(rows) == teams
    rounds = Round.objects.filter(division__season=season).count()
    assert EmptyBoard.objects.filter(match__entrants__entrant__number=1).exists()
    seated = BoardPlayer.objects.filter(match__round__number=2, player=played.substituted)
    assert seated.exists()
    assert Game.objects.filter(seats__player=played.substituted, match_game__match__round__number=2).exists()
    met = [frozenset(match.entrants) for past in folded.division(1).rounds for match in past.matches]
    assert len(set(met)) == len(met)  # a Swiss: nobody meets twice
    later = [match for past in folded.division(1).rounds[2:] for match in past.matches]
    assert all(2 not in match.entrants for match in later)
    for row in rows:  # board points are the sum of the boards, whatever was corrected, lost or substituted
        number = row.entrant.number
        results = [match.result() for match in folded.matches.values() if number in match.entrants]
        points = [folded.points().of_game(game)[game.seats.index(number)] for one in results for game in one.games]
        assert Fraction(row.row["games"]).limit_denominator(2) == sum(points, Fraction(0))
        assert FILLER_BOT not in {seat for one in results for game in one.games for seat in game.seats}
    assert rounds == (3 if teams < 10 else 7)
    assert list(find_differences(write=True)) == []


def check_file(season: Season) -> None:
    """The file of a season makes the same season in another club: same places, same boards."""
    data = season_data(season)
    club = new_club(name="Other", slug="other", zone="Europe/Dublin", owner=season.league.club.owner)
    plan = SeasonPlan(new_league="Copies", name="Copy", kind=season.kind)
    text = json.dumps(data, default=str)
    report = import_season(
        club=club, user=club.owner, plan=plan, text=text, dry_run=False, results=True, most=10_000_000
    )
    assert (report.problem, report.problems, report.unknown) == ("", (), [])
    copy = report.season
    assert copy is not None

    def places(of: Season) -> list[tuple[int, str, float, float]]:
        rows = Standing.objects.filter(division__season=of).select_related("entrant__player").order_by("position")
        return [(row.place, row.entrant.player.name, row.points, row.row["games"]) for row in rows]

    def boards(of: Season) -> list[tuple[int, int, str]]:
        rows = BoardPlayer.objects.filter(match__round__division__season=of).select_related("player", "match__round")
        named = [(row.match.round.number, row.board, row.player.name if row.player else "") for row in rows]
        return sorted(named)

    assert places(copy) == places(season)
    assert boards(copy) == boards(season)
    assert list(find_differences(write=True)) == []


@pytest.mark.long  # a season with everything that can happen to teams
def test_a_small_season_with_a_substitute_a_withdrawal_a_forfeit_and_a_correction(league: League) -> None:
    played = WholeSeason(league, teams=6, boards=2)
    played.play()
    check_whole_season(played, teams=6)
    check_file(played.season)


@pytest.mark.slow
def test_a_season_of_24_teams_at_four_boards(league: League) -> None:
    played = WholeSeason(league, teams=24, boards=4)
    played.play()
    check_whole_season(played, teams=24)
    check_file(played.season)


@pytest.mark.slow
def test_the_next_season_has_the_same_teams(bot_teams: TeamSeason) -> None:
    before = play_season(bot_teams(repeats=True))
    with clock.frozen_at(BEGIN + timedelta(days=1)):
        director.advance()
    before.refresh_from_db()
    after = before.successor
    assert after is not None
    teams = [[entrant.player.name, entrant.members.count()] for entrant in after.entries.order_by("number")]
    assert teams == [["Team 1", 3], ["Team 2", 3], ["Team 3", 3]]
    assert after.status == Season.Status.RUNNING
