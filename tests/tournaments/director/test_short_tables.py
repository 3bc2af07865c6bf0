"""Tables that lack players: some entrants rest, built-in bots fill seats, or fewer play, as the season says."""

from __future__ import annotations

from typing import Any

import pytest

from games.common import clock
from games.models import Player
from tests.tournaments.club import BEGIN, Start, play_season
from tests.tournaments.director.test_deals import by_number
from tournaments.director import director, open_games
from tournaments.maintenance import rebuild
from tournaments.matches.rows import match_row, matches_for_rows
from tournaments.ratings.models import RatingChange
from tournaments.seasons.models import Bye, MatchGame, Season

pytestmark = pytest.mark.django_db


def paired(running: Start, entrants: int, short_tables: str, **settings: Any) -> Season:
    usual = {"kind": "chinese_ten", "options": {}, "table_size": 4, "format": "swiss", "games_a_match": 1}
    season = running(entrants, short_tables=short_tables, **{**usual, **settings})
    with clock.frozen_at(BEGIN):
        director.advance()
    return season


def sizes(season: Season) -> list[int]:
    return sorted(one.game.seats.count() for one in by_number(season)[1])


def test_the_rest_rest_where_nothing_else_is_said(running: Start) -> None:
    season = paired(running, 6, "bye")
    assert sizes(season) == [4]
    assert Bye.objects.count() == 2


def test_tables_are_played_by_fewer(running: Start) -> None:
    season = paired(running, 6, "short")
    assert sizes(season) == [3, 3]
    assert not Bye.objects.exists()
    assert all(one.game.terms["rated"] for one in by_number(season)[1])


def test_built_in_bots_fill_the_tables_and_what_they_play_is_not_rated(running: Start) -> None:
    season = paired(running, 6, "built_in_bot", games_a_match=4)
    for of_number in by_number(season).values():
        for one in of_number:
            names = list(one.game.seats.values_list("player__name", flat=True))
            assert (len(names), names.count("Sensible")) == (4, 1)
            assert not one.game.terms["rated"]
    chairs = MatchGame.objects.filter(game__seats__player__name="Sensible").values_list("match", "game__seats__seat")
    assert chairs.count() == 8
    bots_seats = {
        (one.match_id, one.game.seats.get(player__name="Sensible").seat)
        for of_number in by_number(season).values()
        for one in of_number
    }
    assert len(bots_seats) == 8  # it has each seat of each match once, as everybody does


@pytest.mark.django_db(transaction=True)
def test_a_built_in_bot_is_in_no_standings_and_rebuild_finds_no_difference(running: Start, bots: list[Player]) -> None:
    season = play_season(paired(running, 6, "built_in_bot", games_a_match=4))
    rated = set(RatingChange.objects.values_list("game", flat=True))
    filled = set(MatchGame.objects.filter(game__seats__player__name="Sensible").values_list("game", flat=True))
    assert filled
    assert not rated & filled
    rows = [row for entrant in season.entries.all() for row in [entrant.standing]]
    assert len(rows) == 6
    first = matches_for_rows().filter(round__number=1).first()
    assert first is not None
    assert match_row(first).scores == [each.points for each in first.entrants.all()]
    assert sum(each.points or 0 for each in first.entrants.all()) == 4 * (3 + 2 + 1)
    assert list(rebuild.find_differences()) == []
    assert {"Sensible"}.isdisjoint(player.name for player in bots)


def test_a_kind_that_needs_more_is_filled_as_far_as_it_needs(running: Start) -> None:
    """Two packs are for four with these options: a table of four with two players gets two bots."""
    season = paired(running, 4, "short", options={"packs": 2})
    least = next(seats for seats in range(2, 5) if open_games.seat_count(season, seats) == seats)
    assert [open_games.seat_count(season, entrants) for entrants in (2, 3, 4)] == [
        max(least, each) for each in (2, 3, 4)
    ]


def test_the_filled_tables_of_a_round_share_the_deal_of_the_others(running: Start) -> None:
    season = paired(running, 7, "built_in_bot", deals="duplicate")
    assert len({one.game.deal_id for one in by_number(season)[1]}) == 1
    short = paired(running, 7, "short", deals="duplicate", name="Winter")
    by_seats = {(one.game.seats.count(), one.game.deal_id) for one in by_number(short)[1]}
    assert len(by_seats) == 2  # three and four seats are dealt other hands
