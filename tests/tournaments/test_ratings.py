"""Elo for two and more (DESIGN section 6, Ratings); the fixtures are computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.ratings import Change, K, Rated, deltas, expected, fold, rated


def test_equals_expect_half() -> None:
    assert expected(1500, 1500) == 0.5


def test_four_hundred_points_are_ten_to_one() -> None:
    assert expected(1900, 1500) == pytest.approx(10 / 11)


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
def test_points_move_and_are_never_made(seats: list[tuple[float, int]]) -> None:
    moved = deltas([rating for rating, _ in seats], [place for _, place in seats])
    assert sum(moved) == pytest.approx(0, abs=1e-9)
    assert all(abs(delta) <= K for delta in moved)


def test_fold_chains_before_and_after_by_position() -> None:
    ratings, changes = fold([rated(70, [(8, 1), (9, 2)]), rated(71, [(9, 1), (8, 2)])])
    lost = 24 / (1 + 10 ** (-24 / 400))
    assert changes[:2] == [Change(1, 70, 8, 1500, 1512), Change(1, 70, 9, 1500, 1488)]
    assert [(change.position, change.before) for change in changes[2:]] == [(2, 1488), (2, 1512)]
    assert ratings[8].rating == pytest.approx(1512 - lost)
    assert ratings[8].games == ratings[9].games == 2


def test_order_of_the_stream_matters_so_it_is_the_streams_alone() -> None:
    one, two = rated(70, [(8, 1), (9, 2)]), rated(71, [(8, 1), (7, 2)])
    assert fold([one, two])[0][9] != fold([two, one])[0][9]


@given(st.integers(0, 4))
def test_fold_goes_on_from_where_another_stopped(cut: int) -> None:
    events = [rated(game, [(game % 3, 1), (game % 2 + 3, 2)]) for game in range(4)]
    ratings, changes = fold(events[:cut])
    later, more = fold(events[cut:], ratings, cut)
    assert (later, changes + more) == fold(events)


def test_other_events_change_nothing() -> None:
    assert fold([["future", 1]]) == ({}, [])


def test_somebody_new_starts_at_1500() -> None:
    assert fold([rated(1, [(5, 1), (6, 1)])])[0] == {5: Rated(1500, 1), 6: Rated(1500, 1)}
