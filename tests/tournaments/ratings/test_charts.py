"""The coordinates of charts: lines stay within their field, and labels do not cover each other."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.ratings import charts
from tournaments.ratings.charts import NARROW_FRAME, WIDE_FRAME, ChartFrame, Series

FIGURES = st.floats(min_value=0, max_value=3000)


def drawn(series: list[Series], labels: list[str], frame: ChartFrame = WIDE_FRAME) -> ET.Element:
    return ET.fromstring(charts.line_chart(series, labels, frame, css="only-wide", title="Ratings"))


@pytest.mark.parametrize("frame", [WIDE_FRAME, NARROW_FRAME])
def test_every_line_stays_within_its_field(frame: ChartFrame) -> None:
    series = [Series(f"bot {n}", (1500.0, 1400.0 + 40 * n, 1300.0 + 70 * n)) for n in range(5)]
    svg = drawn(series, ["start", "R1", "R2"], frame)
    paths = [path.attrib["d"] for path in svg.iter("path") if path.attrib["class"].split()[0] in ("line", "other")]
    assert len(paths) == 5
    for path in paths:
        for point in path.lstrip("M").split("L"):
            x, y = map(float, point.split())
            assert frame.left <= x <= frame.right
            assert frame.top <= y <= frame.bottom


def test_the_first_three_lines_are_named_with_their_last_value_and_differ_by_their_end() -> None:
    series = [Series(name, (1500.0, value)) for name, value in zip("abcd", (1510, 1520, 1530, 1540), strict=True)]
    svg = drawn(series, ["start", "round 1"])
    assert [text.text for text in svg.iter("text") if text.attrib.get("class") == "name"] == ["c", "b", "a"]
    ends = [each.tag for each in svg.iter() if each.attrib.get("class", "").startswith("dot")]
    assert sorted(ends) == ["circle", "path", "rect"]


def test_a_name_cannot_break_out_of_the_drawing() -> None:
    svg = drawn([Series('<script>&"', (1500.0, 1501.0))], ["start", "R1"])
    assert [text.text for text in svg.iter("text") if text.attrib.get("class") == "name"] == ['<script>&"']


def test_a_single_value_and_no_value_at_all_can_be_drawn() -> None:
    assert len(list(drawn([Series("a", (1500.0,))], ["start"]).iter("circle"))) == 1
    assert list(drawn([], []).iter("path")) == []


def test_many_rounds_are_labelled_sparsely_and_the_last_one_always() -> None:
    labels = ["start", *[f"round {n}" for n in range(1, 59)]]
    svg = drawn([Series("a", tuple(1500.0 + n for n in range(59)))], labels)
    shown = [text.text for text in svg.iter("text") if text.attrib.get("text-anchor") == "middle"]
    assert len(shown) <= WIDE_FRAME.steps


def test_of_equal_labels_that_follow_one_another_the_first_is_shown() -> None:
    svg = drawn([Series("a", (1500.0,) * 5)], ["", "1 Nov", "1 Nov", "1 Nov", "2 Nov"])
    shown = [text.text for text in svg.iter("text") if text.attrib.get("text-anchor") == "middle"]
    assert shown == ["1 Nov", "2 Nov"]


def test_long_labels_below_a_narrow_chart_do_not_touch() -> None:
    labels = [f"{day} Nov 2026" for day in range(1, 25)]
    svg = drawn([Series("a", tuple(1500.0 + day for day in range(24)))], labels, NARROW_FRAME)
    shown = [float(text.attrib["x"]) for text in svg.iter("text") if text.attrib.get("text-anchor") == "middle"]
    assert len(shown) > 1
    assert min(after - before for before, after in pairwise(shown)) >= 7 * len(labels[-1])


@given(st.lists(FIGURES, min_size=1, max_size=40))
def test_grid_lines_are_round_few_and_inside(values: list[float]) -> None:
    low, high, grid = charts.bounds(values)
    assert low < min(values) <= max(values) < high
    assert 1 <= len(grid) <= 7
    assert all(low < line <= high for line in grid)


@given(st.lists(FIGURES, max_size=6).map(sorted))
def test_labels_never_cover_one_another_and_keep_their_order(places: list[float]) -> None:
    moved = charts.spread_labels(places, 33)
    assert len(moved) == len(places)
    assert all(b - a >= 33 - 1e-6 for a, b in pairwise(moved))


def test_labels_with_room_stay_where_they_are() -> None:
    assert charts.spread_labels([10.0, 60.0, 100.0], 33) == [10.0, 60.0, 100.0]


def test_a_whisker_that_fell_is_marked_as_such() -> None:
    assert 'class="interval"' in charts.change_bar(1500, 1520, 1400, 1600)
    assert 'class="interval fell"' in charts.change_bar(1500, 1480, 1400, 1600)
