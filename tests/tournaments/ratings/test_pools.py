"""Rating pools: the rows and the stream, corrections, and the events that a season calls for
(docs/explanation/ratings.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy

import pytest

from games.eventlog import store as eventlog
from scorebook_games.contract import Event
from tests.tournaments.club import Start, play_season
from tournaments.ratings import elo, pools, rated_events
from tournaments.ratings.models import Rating, RatingChange, RatingPool
from tournaments.seasons import stream
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.registry import read_events
from tournaments.seasons.fold import SeasonFold

# One match of two games between entrants 1 (player 11) and 2 (player 12); then the round is closed.
LOG: list[Event] = [
    ["season_created", {"games_a_match": 2}],
    ["entrant_joined", 1, 1, 11],
    ["entrant_joined", 1, 2, 12],
    ["round_paired", 1, 1, [[5, [1, 2], "", [70, 71], ""]], [], None],
    ["game_recorded", 5, 1, {"game": 70, "seats": [1, 2], "scores": [9, 1], "placings": [1, 2], "left": []}],
    ["game_recorded", 5, 2, {"game": 71, "seats": [2, 1], "scores": [9, 9], "placings": [1, 1], "left": []}],
    ["round_closed", 1, 1],
]
MATCH = 5
SEASON = list(read_events(LOG))
RATED = [elo.Rated.of(70, [(11, 1), (12, 2)]), elo.Rated.of(71, [(12, 1), (11, 1)])]


def rating_events_of(events: Iterable[SeasonEvent]) -> list[elo.RatingEvent]:
    """Return all rating events that a season calls for, in order."""
    folded, calls = SeasonFold(()), rated_events.RatingCalls()
    for event in events:
        calls.before(event, folded)
        folded.apply(event)
        calls.after(event, folded)
    return calls.called


def test_a_closed_round_calls_for_its_games_in_schedule_order() -> None:
    assert rating_events_of(SEASON) == RATED
    assert rating_events_of(SEASON[:-1]) == []


def test_a_game_that_somebody_never_came_to_is_not_rated() -> None:
    absent = [*LOG[:4], [*LOG[4][:3], LOG[4][3] | {"absent": [1]}], *LOG[5:]]
    assert rating_events_of(read_events(absent)) == RATED[1:]


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
        (adjudicated, [elo.Corrected.of(70, [(11, 2), (12, 1)])]),
        (annulled, [elo.Corrected.of(70)]),
        (undone, [elo.Corrected.of(70), elo.Corrected.of(71)]),
        (replayed, [elo.Corrected.of(70), elo.Rated.of(80, [(11, 1), (12, 2)])]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_changes_a_result_later_calls_for_a_correction(
    happens: Callable[[SeasonFold], None], called_for: list[elo.RatingEvent]
) -> None:
    folded = SeasonFold(read_events(deepcopy(LOG)))
    known = rated_events.counted_games(folded, MATCH)
    assert rated_events.corrections(known, known) == []
    happens(folded)
    assert rated_events.corrections(known, rated_events.counted_games(folded, MATCH)) == called_for


def test_a_game_that_was_annulled_and_counts_again_is_corrected_back() -> None:
    folded = SeasonFold(read_events(deepcopy(LOG)))
    now = rated_events.counted_games(folded, MATCH)
    assert rated_events.corrections(now | {70: ()}, now) == [elo.Corrected.of(70, [(11, 1), (12, 2)])]


@pytest.mark.django_db
def test_corrections_bring_the_rows_to_what_the_stream_folds_to(running: Start) -> None:
    season = play_season(running(3))
    pool = pools.lock_pool(season.kind, season.pool)
    events = [entry.event for entry in eventlog.read_events(pool.stream_id)]
    turned = [(player, 3 - placing) for player, placing in events[1][2]]
    pools.append_rating_events(pool, [elo.Corrected.of(events[0][1]), elo.Corrected.of(events[1][1], turned)])
    pools.append_rating_events(pool, [elo.Corrected.of(events[0][1], [tuple(place) for place in events[0][2]])])
    folded, changes = elo.fold_ratings(
        elo.read_rating_event(entry.event) for entry in eventlog.read_events(pool.stream_id)
    )
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
    assert events == [event.stored() for event in rating_events_of(stream.season_log(season))]
