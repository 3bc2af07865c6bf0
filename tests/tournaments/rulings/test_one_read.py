"""Each service reads a season's log and folds it once at the most; so it does in each scene (`test_scenes`)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.common import clock
from tests.tournaments.club import BEGIN, play_all
from tests.tournaments.read_counts import counted
from tests.tournaments.rulings.test_rulings import WHY, match_of, niamh, season
from tournaments.director import close_rounds, director, open_rounds, record_results
from tournaments.entries import services as entries
from tournaments.lifecycle import running
from tournaments.maintenance.rebuild import find_differences
from tournaments.rulings import services as rulings
from tournaments.seasons.models import MatchGame, Round, Season

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)  # for a comparison, which begins a transaction of its own
__all__ = ["niamh", "season"]
Service = Callable[[Season, User], Any]


def step_of(name: str) -> Service:
    """Return the director's step of this name, for a season whose games are over."""

    def service(season: Season, _by: User) -> None:
        if name == "record_results":
            record_results.record_results(season=season)
        elif name == "close_round":
            close_rounds.close_round(round=Round.objects.get(division__season=season, status="open"))
        else:
            open_rounds.open_round(division=season.divisions.get())

    return service


SERVICES: dict[str, Service] = {
    "adjudicate": lambda season, by: rulings.adjudicate(match=match_of(1), places=(2, 1), by=by, note=WHY),
    "annul_game": lambda season, by: rulings.annul_game(match=match_of(1), game=1, by=by, note=WHY),
    "order_replay": lambda season, by: rulings.order_replay(match=match_of(1), game=1, by=by, note=WHY),
    "undo_round": lambda season, by: rulings.undo_round(
        division=season.divisions.get(), number=season.divisions.get().rounds_opened, by=by, note=WHY
    ),
    "withdraw_entrant": lambda season, by: entries.withdraw_entrant(
        entrant=season.entries.get(number=1), why="organiser", by=by
    ),
    "pause_season": lambda season, by: running.pause_season(season=season, by=by),
    **{name: step_of(name) for name in ("record_results", "close_round", "open_round")},
}
BEFORE = {"close_round": ("record_results",), "open_round": ("record_results", "close_round")}


@pytest.mark.some(4)
@pytest.mark.parametrize("name", SERVICES)
def test_a_service_reads_and_folds_the_log_once_at_the_most(name: str, season: Season, niamh: User) -> None:
    with clock.frozen_at(BEGIN + timedelta(hours=1)):
        director.advance()
        play_all(9)
        for earlier in BEFORE.get(name, ()):
            SERVICES[earlier](season, niamh)
        with counted(season) as counts:
            SERVICES[name](season, niamh)
    assert max(counts["reads"], counts["folds"]) <= 1, dict(counts)
    assert list(find_differences(write=True)) == []


@committed
@pytest.mark.parametrize("write", [False, True])
def test_rebuild_reads_and_folds_the_log_of_a_season_once(season: Season, *, write: bool) -> None:
    with counted(season) as counts:
        assert list(find_differences(write=write)) == []
    assert counts == {"reads": 1, "folds": 1}


@committed
def test_a_comparison_reads_the_logs_of_many_matches_at_once(season: Season) -> None:
    with CaptureQueriesContext(connection) as sent:
        assert list(find_differences()) == []
    assert MatchGame.objects.filter(recorded_at__isnull=False).count() == 4
    reads = sum("stream_id = ANY" in query["sql"] for query in sent)
    assert reads == 2, "one for the rows of all games, and one for their results in the season"
