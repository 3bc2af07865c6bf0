"""Rating pools: rows beside the stream, corrections, and what a season calls for (docs/explanation/ratings.md)."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from games.eventlog import store as eventlog
from scorebook_games.contract import Event
from tests.tournaments.club import Start, play_season
from tournaments.ratings import elo, pools, rated_events
from tournaments.ratings.models import Rating, RatingChange, RatingPool
from tournaments.seasons import events as ev
from tournaments.seasons import stream
from tournaments.seasons.fold import SeasonFold

# One match of two games between entrants 1 (player 11) and 2 (player 12); then both rounds are closed.
SEASON: list[Event] = [
    [ev.SEASON_CREATED, {"games_a_match": 2}],
    [ev.ENTRANT_JOINED, 1, 1, 11],
    [ev.ENTRANT_JOINED, 1, 2, 12],
    [ev.ROUND_PAIRED, 1, 1, [[5, [1, 2], "", [70, 71], ""]], [], None],
    [ev.GAME_RECORDED, 5, 1, {"game": 70, "seats": [1, 2], "scores": [9, 1], "placings": [1, 2], "left": []}],
    [ev.GAME_RECORDED, 5, 2, {"game": 71, "seats": [2, 1], "scores": [9, 9], "placings": [1, 1], "left": []}],
    [ev.ROUND_CLOSED, 1, 1],
]
RATED = [elo.rated(70, [(11, 1), (12, 2)]), elo.rated(71, [(12, 1), (11, 1)])]


def test_a_closed_round_calls_for_its_games_in_schedule_order() -> None:
    assert rated_events.rating_events_of(SEASON) == RATED
    assert rated_events.rating_events_of(SEASON[:-1]) == []


def test_a_game_that_somebody_never_came_to_is_not_rated() -> None:
    absent = [*SEASON[:4], [*SEASON[4][:3], SEASON[4][3] | {"absent": [1]}], *SEASON[5:]]
    assert rated_events.rating_events_of(absent) == RATED[1:]


def adjudicated(folded: SeasonFold) -> None:
    folded.division(1).rounds[0].matches[0].records[1]["placings"] = [2, 1]


def annulled(folded: SeasonFold) -> None:
    del folded.division(1).rounds[0].matches[0].records[1]


def undone(folded: SeasonFold) -> None:
    folded.division(1).rounds[0].closed = False


def replayed(folded: SeasonFold) -> None:
    folded.division(1).rounds[0].matches[0].records[1] |= {"game": 80}


@pytest.mark.parametrize(
    ("happens", "called_for"),
    [
        (adjudicated, [elo.corrected(70, [(11, 2), (12, 1)])]),
        (annulled, [elo.corrected(70)]),
        (undone, [elo.corrected(70), elo.corrected(71)]),
        (replayed, [elo.corrected(70), elo.rated(80, [(11, 1), (12, 2)])]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_changes_a_result_later_calls_for_a_correction(
    happens: Callable[[SeasonFold], None], called_for: list[Event]
) -> None:
    folded = SeasonFold(deepcopy(SEASON))
    known = rated_events.counted_games(folded)
    assert rated_events.outstanding_rating_events(known, folded) == []
    happens(folded)
    assert rated_events.outstanding_rating_events(known, folded) == called_for


def test_a_game_that_was_annulled_and_counts_again_is_corrected_back() -> None:
    folded = SeasonFold(deepcopy(SEASON))
    known: dict[int, Any] = rated_events.counted_games(folded) | {70: ()}
    assert rated_events.outstanding_rating_events(known, folded) == [elo.corrected(70, [(11, 1), (12, 2)])]


@pytest.mark.django_db
def test_corrections_bring_the_rows_to_what_the_stream_folds_to(running: Start) -> None:
    season = play_season(running(3))
    pool = pools.lock_pool(season.kind, season.pool)
    told = [entry.event for entry in eventlog.read_events(pool.stream_id)]
    turned = [(player, 3 - placing) for player, placing in told[1][2]]
    pools.append_rating_events(pool, [elo.corrected(told[0][1]), elo.corrected(told[1][1], turned)])
    pools.append_rating_events(pool, [elo.corrected(told[0][1], [tuple(place) for place in told[0][2]])])
    folded, changes = elo.fold_ratings(entry.event for entry in eventlog.read_events(pool.stream_id))
    rows = list(Rating.objects.filter(pool=pool))
    assert {row.player_id: row.rating for row in rows} == pytest.approx({p: one.rating for p, one in folded.items()})
    assert {row.player_id: row.games for row in rows} == {p: one.games for p, one in folded.items()}
    written = RatingChange.objects.filter(pool=pool).order_by("position", "pk")
    assert [(row.position, row.player_id, row.games, row.counted) for row in written] == [
        (change.position, change.player, change.games, change.counted) for change in changes
    ]


@pytest.mark.django_db
def test_a_rated_season_writes_what_its_stream_calls_for(running: Start) -> None:
    season = play_season(running(3))
    pool = RatingPool.objects.get()
    events = [entry.event for entry in eventlog.read_events(pool.stream_id)]
    assert events == rated_events.rating_events_of(entry.event for entry in eventlog.read_events(season.stream_id))
    assert (
        rated_events.outstanding_rating_events(
            rated_events.counted_games(stream.fold_season(season)), stream.fold_season(season)
        )
        == []
    )
