"""Elo for two and more (docs/explanation/ratings.md); the fixtures are computed by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.core.event import UnknownEventType
from tournaments.ratings.elo import (
    MIN_K,
    Corrected,
    PlayerRating,
    Rated,
    RatingStep,
    expected_score,
    fold_ratings,
    is_provisional,
    k_factor,
    read_rating_event,
)
from tournaments.ratings.elo import deltas as deltas_of


def deltas(before: list[float], placings: list[int], games: int = 20) -> list[float]:
    """Return the rating changes of players who have all played so many games. After 20 games, K = 24."""
    return deltas_of([PlayerRating(rating, games) for rating in before], placings)


def test_k_falls_with_the_games_played() -> None:
    assert [k_factor(games) for games in (0, 19, 20, 199, 200, 10_000)] == [40, 40, 24, 24, MIN_K, 16]


def test_a_newcomer_moves_further_than_who_has_settled() -> None:
    """Both are rated 1500: half of 40 against half of 16."""
    assert deltas_of([PlayerRating(), PlayerRating(1500, 300)], [1, 2]) == [20, -8]


def test_a_rating_is_provisional_until_twenty_games() -> None:
    assert [is_provisional(games) for games in (0, 19, 20)] == [True, True, False]


def test_equals_expect_half() -> None:
    assert expected_score(1500, 1500) == 0.5


def test_four_hundred_points_are_ten_to_one() -> None:
    assert expected_score(1900, 1500) == pytest.approx(10 / 11)


def test_winner_of_two_equals_gains_half_of_k() -> None:
    assert deltas([1500, 1500], [1, 2]) == [12, -12]


def test_draw_of_two_equals_changes_nothing() -> None:
    assert deltas([1500, 1500], [1, 1]) == [0, 0]


def test_favourite_that_loses_pays_what_was_expected_of_it() -> None:
    assert deltas([1900, 1500], [2, 1]) == pytest.approx([-24 * 10 / 11, 24 * 10 / 11])


def test_table_of_four_equals_is_six_duels_of_a_third_of_k() -> None:
    """K / (n − 1) = 8 a duel: first 3 · ½ · 8, second ½ · 8, third −½ · 8, fourth −3 · ½ · 8."""
    assert deltas([1500] * 4, [1, 2, 3, 4]) == [12, 4, -4, -12]


def test_shared_places_are_drawn_duels() -> None:
    """1st, shared 2nd, 4th: (½ + ½ + ½) · 8, (−½ + 0 + ½) · 8 twice, −(½ + ½ + ½) · 8."""
    assert deltas([1500] * 4, [1, 2, 2, 4]) == [12, 0, 0, -12]


@given(st.lists(st.tuples(st.floats(500, 3000), st.integers(1, 6)), min_size=2, max_size=6))
def test_among_those_with_one_k_points_move_and_are_not_made(seats: list[tuple[float, int]]) -> None:
    moved = deltas([rating for rating, _ in seats], [place for _, place in seats])
    assert sum(moved) == pytest.approx(0, abs=1e-9)
    assert all(abs(delta) <= 24 for delta in moved)


def test_fold_chains_before_and_after_by_position() -> None:
    ratings, changes = fold_ratings([Rated.of(70, [(8, 1), (9, 2)]), Rated.of(71, [(9, 1), (8, 2)])])
    lost = 40 / (1 + 10 ** (-40 / 400))
    assert changes[:2] == [RatingStep(1, 70, 8, 1500, 1520), RatingStep(1, 70, 9, 1500, 1480)]
    assert [(change.position, change.before, change.games) for change in changes[2:]] == [(2, 1480, 1), (2, 1520, 1)]
    assert ratings[8].rating == pytest.approx(1520 - lost)
    assert ratings[8].games == ratings[9].games == 2


FIRST, SECOND = Rated.of(70, [(8, 1), (9, 2)]), Rated.of(71, [(8, 1), (7, 2)])


def test_a_correction_makes_up_for_what_the_game_had_done() -> None:
    """The first game is corrected to a win of 9: −20 instead of +20, from the ratings at its time. The second stays."""
    before, _ = fold_ratings([FIRST, SECOND])
    after, changes = fold_ratings([FIRST, SECOND, Corrected.of(70, [(8, 2), (9, 1)])])
    assert [(c.player, c.after - c.before, c.counted) for c in changes[4:]] == [(8, -40, 0), (9, 40, 0)]
    assert (after[8].rating, after[9].rating) == (before[8].rating - 40, 1520)
    assert (after[7], after[8].games) == (before[7], 2)


def test_an_annulled_game_leaves_nothing_and_counts_for_nothing() -> None:
    ratings, changes = fold_ratings([FIRST, Corrected.of(70)])
    assert ratings == {8: PlayerRating(1500, 0), 9: PlayerRating(1500, 0)}
    assert [change.counted for change in changes] == [1, 1, -1, -1]


def test_a_game_is_corrected_from_what_it_counts_for_by_now() -> None:
    """The game is corrected to a draw, annulled, and corrected back. Each correction starts from the one before."""
    events = [FIRST, Corrected.of(70, [(8, 1), (9, 1)]), Corrected.of(70), Corrected.of(70, [(8, 1), (9, 2)])]
    assert [fold_ratings(events[:n])[0][8] for n in (1, 2, 3, 4)] == [
        PlayerRating(1520, 1),
        PlayerRating(1500, 1),
        PlayerRating(1500, 0),
        PlayerRating(1520, 1),
    ]


def test_a_correction_of_a_game_that_was_never_rated_changes_nothing() -> None:
    assert fold_ratings([Corrected.of(70, [(8, 1), (9, 2)])]) == ({}, [])


PLACES = st.sampled_from([(), ((8, 1), (9, 2)), ((8, 2), (9, 1)), ((8, 1), (9, 1))])


@settings(deadline=None)
@given(st.lists(PLACES, max_size=4), st.integers(0, 5))
def test_whatever_it_was_corrected_to_before_only_the_last_word_counts(words: list[Any], cut: int) -> None:
    """A fold that goes on from where another stopped needs only the changes of that game."""
    events = [FIRST, SECOND, *[Corrected.of(70, places) for places in words]]
    last = words[-1] if words else ((8, 1), (9, 2))
    ratings, _ = fold_ratings(events)
    alone, _ = fold_ratings([FIRST, SECOND, *([Corrected.of(70, last)] if last != ((8, 1), (9, 2)) else [])])
    for player in (7, 8, 9):
        assert ratings[player].rating == pytest.approx(alone[player].rating)
        assert ratings[player].games == alone[player].games
    start, changes = fold_ratings(events[:cut])
    later, more = fold_ratings(events[cut:], start, cut, [change for change in changes if change.game == 70])
    assert (later, changes + more) == fold_ratings(events)


def test_order_of_the_stream_matters_so_it_is_the_streams_alone() -> None:
    one, two = Rated.of(70, [(8, 1), (9, 2)]), Rated.of(71, [(8, 1), (7, 2)])
    assert fold_ratings([one, two])[0][9] != fold_ratings([two, one])[0][9]


@given(st.integers(0, 4))
def test_fold_goes_on_from_where_another_stopped(cut: int) -> None:
    events = [Rated.of(game, [(game % 3, 1), (game % 2 + 3, 2)]) for game in range(4)]
    ratings, changes = fold_ratings(events[:cut])
    later, more = fold_ratings(events[cut:], ratings, cut)
    assert (later, changes + more) == fold_ratings(events)


def test_an_unknown_event_is_refused_by_its_name() -> None:
    with pytest.raises(UnknownEventType, match="'future'"):
        read_rating_event(["future", 1])


def test_somebody_new_starts_at_1500() -> None:
    assert fold_ratings([Rated.of(1, [(5, 1), (6, 1)])])[0] == {5: PlayerRating(1500, 1), 6: PlayerRating(1500, 1)}
