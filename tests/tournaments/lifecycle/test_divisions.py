"""Several divisions in a season: placing, promotion and relegation, play-offs, and carryover."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.common import clock
from games.eventlog import store as eventlog
from games.models import Player
from tests.tournaments.club import BEGIN, Start, play_season
from tests.tournaments.entries.test_entries import events_of_type, faults, happenings, rate, refused
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import divisions
from tournaments.lifecycle import services as seasons
from tournaments.season_pages.overview import timeline_page
from tournaments.seasons.models import Division, League, Match, Season
from tournaments.seasons.settings import DivisionSettings
from tournaments.seasons.stream import fold_season
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db
TWO = [{"name": "First"}, {"name": "Second"}]


def of(season: Season, number: int) -> list[int]:
    """Return the numbers of a division's entrants."""
    entrants = season.entries.filter(division__number=number)
    return list(entrants.values_list("number", flat=True))


def by_place(season: Season, number: int) -> list[int]:
    rows = Standing.objects.filter(entrant__division__season=season, entrant__division__number=number)
    return list(rows.order_by("place").values_list("entrant__player", flat=True))


# placing


def test_a_first_season_places_by_rating_and_fills_from_above() -> None:
    ratings = {1: 1500.0, 2: 1700.0, 3: 1500.0, 4: 1600.0, 5: 1400.0}
    assert divisions.distribute([DivisionSettings(max_entrants=2), DivisionSettings()], ratings, {}) == {
        1: [2, 4],
        2: [1, 3, 5],
    }
    assert divisions.distribute([DivisionSettings(), DivisionSettings()], ratings, {}) == {1: [2, 4, 1], 2: [3, 5]}


def test_who_played_before_plays_where_they_ended_and_who_is_new_below_them() -> None:
    """4 was second in the first division; 2 and 5 played in the second. 1 and 3 are new; 3 has the highest rating."""
    ratings = {1: 1500.0, 2: 1600.0, 3: 1900.0, 4: 1400.0, 5: 1500.0}
    seats = {4: (1, 2), 2: (2, 1), 5: (2, 2)}
    assert divisions.distribute([DivisionSettings(max_entrants=2), DivisionSettings()], ratings, seats) == {
        1: [2, 4],
        2: [3, 1, 5],
    }
    assert divisions.distribute([DivisionSettings(), DivisionSettings()], ratings, seats) == {1: [4], 2: [3, 2, 1, 5]}


def test_a_division_that_cannot_be_played_stops_the_start(league: League, bots: list[Player]) -> None:
    season = seasons.create_season(league=league, name="Few", kind="chinese_ten", divisions=TWO)
    entries.enter_players(season=season, players=bots[:3])
    with refused("too_few_entrants"):
        seasons.start_season(season=season)
    season.refresh_from_db()
    assert season.status == "open"
    assert of(season, 2) == []


def test_ratings_seed_and_place_and_names_stay_out_of_the_log(league: League, bots: list[Player]) -> None:
    season = seasons.create_season(league=league, name="Two", kind="chinese_ten", divisions=TWO)
    entries.enter_players(season=season, players=bots[:4])
    for player, rating in zip(bots[:4], (1400, 1650, 1500, 1600), strict=True):
        rate(season, player, rating)
    seasons.start_season(season=season)
    assert events_of_type(season, "entrants_placed") == [["entrants_placed", [[1, [2, 4]], [2, [3, 1]]]]]
    assert [division.name for division in season.divisions.all()] == ["First", "Second"]
    assert fold_season(season).division(1).seeds == (2, 4)
    assert "First" not in str([entry.event for entry in eventlog.read_events(season.stream_id)])


# up and down


def test_each_division_plays_its_own_rounds_and_the_best_and_worst_change_places(running: Start) -> None:
    season = play_season(running(7, divisions=TWO, promoted=1, relegated=1, repeats=True, format="round_robin"))
    assert [division.rounds_opened for division in season.divisions.all()] == [3, 3]
    first, second = by_place(season, 1), by_place(season, 2)
    numbers = dict(season.entries.values_list("player", "number"))
    assert events_of_type(season, "entrants_moved") == [
        ["entrants_moved", [[numbers[first[-1]], 2], [numbers[second[0]], 1]]]
    ]
    assert faults() == []
    with clock.frozen_at(BEGIN + timedelta(hours=1)):
        director.advance()
    season.refresh_from_db()
    successor = season.successor
    assert successor is not None
    above = successor.entries.filter(division__number=1)
    assert set(above.values_list("player", flat=True)) == {*first[:-1], second[0]}
    assert " to First" in happenings(season)
    assert faults() == []


def test_the_timeline_says_of_which_division_a_line_is_where_there_are_several(running: Start) -> None:
    season = play_season(running(4, divisions=TWO, format="round_robin"))
    season.refresh_from_db()
    latest = timeline_page(season, "")
    sheets = [latest, timeline_page(season, str(latest.earlier))]
    lines = [line for sheet in sheets for _day, lines_of_day in sheet.days for line in lines_of_day]
    named = {(line.what, str(line.text[0])) for line in lines}
    for what in ("Paired.", "Recorded.", "Closed.", "Finished."):
        assert {sentence for kind, sentence in named if kind == what} == {"First · ", "Second · "}
    joined = [line for line in lines if line.what == "Joined."]
    assert joined
    assert not any("·" in str(part) for line in joined for part in line.text), "The start placed them."
    alone = play_season(running(4, format="round_robin", name="One"))
    assert "·" not in happenings(alone)


@pytest.mark.slow
def test_a_play_off_is_about_the_place_between(running: Start) -> None:
    season = play_season(running(6, divisions=TWO, playoff=1, format="round_robin"))
    [[_, number, [[holding, asking]], above]] = events_of_type(season, "playoff_opened")
    assert (number, above) == (101, 1)
    players = dict(season.entries.values_list("number", "player"))
    assert (players[holding], players[asking]) == (by_place(season, 1)[-1], by_place(season, 2)[0])
    division = Division.objects.get(season=season, is_playoff=True)
    match = Match.objects.get(round__division=division)
    assert [each.entrant.number for each in match.entrants.all()] == [holding, asking]
    [finished] = [event for event in events_of_type(season, "season_finished") if event[1] == 101]
    won = dict(finished[2])[asking] == 1
    moved = [[asking, 1], [holding, 2]] if won else []
    assert sorted(
        events_of_type(season, "entrants_moved")[0][1] if events_of_type(season, "entrants_moved") else []
    ) == sorted(moved)
    assert season.status == "finished"
    assert Standing.objects.filter(entrant__season=season).count() == 6
    assert faults() == []


@pytest.mark.slow
def test_points_are_carried_over_as_far_as_the_season_says(running: Start) -> None:
    season = play_season(running(3, points_carryover=0.5, repeats=True))
    points = dict(Standing.objects.filter(entrant__season=season).values_list("entrant__player", "points"))
    with clock.frozen_at(BEGIN + timedelta(hours=1)):
        director.advance()
    season.refresh_from_db()
    successor = season.successor
    assert successor is not None
    [[_, carried]] = events_of_type(successor, "points_carried")
    players = dict(successor.entries.values_list("number", "player"))
    assert {players[entrant]: worth for entrant, worth in carried} == {
        player: worth / 2 for player, worth in points.items() if worth
    }
    folded = fold_season(successor)
    brought = {players[entrant]: float(worth) for entrant, worth in folded.carried(folded.division(1)).items()}
    assert brought == {player: worth / 2 for player, worth in points.items()}
    assert "From the last season" in happenings(successor)
    assert faults() == []


@pytest.mark.slow
def test_who_has_withdrawn_does_not_go_up(running: Start) -> None:
    season = play_season(running(6, divisions=TWO, promoted=1, relegated=1, format="round_robin"))
    folded = fold_season(season)
    best = next(number for number, place in (folded.division(2).places or {}).items() if place == 1)
    folded.entrants[best].gone = {"played": 3, "of": 3}
    assert best not in divisions.next_divisions(folded)
