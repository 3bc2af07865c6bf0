"""Draws charts as SVG text on the server. Pure.

Only coordinates are here; colours, dashes and line widths are in the style sheet, by class. A chart with text is drawn
twice, wide and narrow, and the page shows the one that fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil

# The first three lines have a name, a dash and an end mark each. The others are thin.
LINE_MARKS = ("disc", "square", "diamond")
LABEL_HEIGHT = 33  # of a name and the figure below it
GRID_STEPS = (5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a chart: a name, and a value at each step; None before the first known value."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class ChartFrame:
    """The size of a chart, and the edges of the area that holds the lines."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    steps: int  # at most this number of labels below

    def x(self, step: int, steps: int) -> float:
        """Return the x of `step`, which is one of 0 … steps − 1."""
        return self.left + (self.right - self.left) * (step / (steps - 1) if steps > 1 else 0.5)

    def y(self, value: float, low: float, high: float) -> float:
        """Return the y of `value`, on an area from `low` to `high`."""
        return self.bottom - (self.bottom - self.top) * (value - low) / (high - low)


LETTER_WIDTH = 7.5  # of a label below, in px
LABEL_GAP = 10  # between two of them
WIDE_FRAME = ChartFrame(width=1100, height=352, left=52, right=930, top=34, bottom=304, steps=12)
NARROW_FRAME = ChartFrame(width=340, height=300, left=40, right=232, top=30, bottom=256, steps=5)


def line_chart(series: Sequence[Series], labels: Sequence[str], frame: ChartFrame, *, css: str, title: str) -> str:
    """Return the chart of `series`, the most important one first, over `labels`. `css`: its class; `title`: the text
    for screen readers."""
    low, high, grid = bounds([value for series in series for value in series.values if value is not None])
    parts = [
        f'<svg class="chart {escape(css)}" viewBox="0 0 {frame.width} {frame.height}" role="img" '
        f'aria-label="{escape(title)}">'
    ]
    parts += [_grid_line(frame, value, frame.y(value, low, high)) for value in grid]
    parts += _step_labels(frame, labels)
    parts += [_path("other", frame, series, low, high) for series in series[len(LINE_MARKS) :]]
    parts += [_path(f"line {mark}", frame, series, low, high) for mark, series in zip(LINE_MARKS, series, strict=False)]
    parts += _end_labels(frame, series[: len(LINE_MARKS)], low, high)
    return "\n".join([*parts, "</svg>"])


def bounds(values: Sequence[float]) -> tuple[float, float, list[int]]:
    """Return (low, high, values of the grid lines): a range that holds `values` with a margin, and the round values in
    it, at most six."""
    least, most = min(values, default=1500.0), max(values, default=1500.0)
    room = max((most - least) * 0.06, 12.0)
    low, high = least - room, most + room
    step = next((step for step in GRID_STEPS if (high - low) / step <= 5.5), GRID_STEPS[-1])
    first = int(low // step + 1) * step
    return low, high, list(range(first, int(high) + 1, step))


def _grid_line(frame: ChartFrame, value: int, y: float) -> str:
    return (
        f'<line class="grid" x1="{frame.left}" x2="{frame.right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text x="{frame.left - 8}" y="{y + 4:.1f}" text-anchor="end">{value}</text>'
    )


def _step_labels(frame: ChartFrame, labels: Sequence[str]) -> list[str]:
    """Return labels at equal distances, the last one among them: as many as do not touch, and of equal ones that follow
    one another the first."""
    y, width = frame.bottom + 36, LETTER_WIDTH * max(map(len, labels), default=0) + LABEL_GAP
    every = max(-(-len(labels) // frame.steps), ceil(width * (len(labels) - 1) / (frame.right - frame.left)))
    shown = [(step, label) for step, label in enumerate(labels) if (len(labels) - 1 - step) % every == 0]
    return [
        f'<text x="{frame.x(step, len(labels)):.0f}" y="{y}" text-anchor="middle">{escape(label)}</text>'
        for (step, label), (_step, before) in zip(shown, [(0, ""), *shown], strict=False)
        if label != before
    ]


def _line_points(frame: ChartFrame, one: Series, low: float, high: float) -> list[tuple[float, float]]:
    steps = len(one.values)
    return [
        (frame.x(step, steps), frame.y(value, low, high)) for step, value in enumerate(one.values) if value is not None
    ]


def _path(css: str, frame: ChartFrame, one: Series, low: float, high: float) -> str:
    points = _line_points(frame, one, low, high)
    if not points:
        return ""
    return f'<path class="{css}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}"/>'


def _end_labels(frame: ChartFrame, series: Sequence[Series], low: float, high: float) -> list[str]:
    """Return the end mark of each line with its name and last value, moved apart so that they do not overlap."""
    ends = [
        (_line_points(frame, series, low, high)[-1], mark, series)
        for mark, series in zip(LINE_MARKS, series, strict=False)
    ]
    ends.sort(key=lambda end: end[0][1])
    parts = []
    for ((x, y), mark, one), at in zip(ends, spread_labels([end[0][1] for end in ends], LABEL_HEIGHT), strict=True):
        value = next(value for value in reversed(one.values) if value is not None)
        if abs(at - y) > 3:
            parts.append(f'<path class="lead" d="M{x + 7:.1f} {y:.1f}L{x + 15:.1f} {at:.1f}"/>')
        parts.append(end_mark(mark, x, y))
        parts.append(f'<text class="name" x="{x + 18:.1f}" y="{at:.1f}">{escape(one.name)}</text>')
        parts.append(f'<text x="{x + 18:.1f}" y="{at + 15:.1f}">{value:.0f}</text>')
    return parts


def end_mark(mark: str, x: float, y: float) -> str:
    """Return the end mark of a line: a circle, a square or a diamond. The shape says the same as the dash."""
    if mark == "disc":
        return f'<circle class="dot disc" cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
    if mark == "square":
        return f'<rect class="dot square" x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9"/>'
    return f'<path class="dot diamond" d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"/>'


def spread_labels(places: Sequence[float], gap: float) -> list[float]:
    """Return `places` (ascending), moved as little as possible so that neighbours are `gap` apart; the middle of each
    group stays where it is."""
    heaps: list[list[float]] = []
    for place in places:
        heaps.append([place])
        while len(heaps) > 1 and _top(heaps[-1], gap) - _foot(heaps[-2], gap) < gap:
            last = heaps.pop()
            heaps[-1] += last
    return [_top(heap, gap) + index * gap for heap in heaps for index in range(len(heap))]


def _top(heap: Sequence[float], gap: float) -> float:
    return sum(heap) / len(heap) - gap * (len(heap) - 1) / 2


def _foot(heap: Sequence[float], gap: float) -> float:
    return sum(heap) / len(heap) + gap * (len(heap) - 1) / 2


def interval(value: float, half: float, low: float, high: float) -> str:
    """Draw a mark at `value` on a line from `low` to `high`, with a bar of `half` to both sides."""
    return _strip(value, (value - half, value + half), low, high, "interval")


def change_bar(before: float, after: float, low: float, high: float) -> str:
    """Draw a mark at `after` on a line from `low` to `high`, with a bar back to `before`."""
    return _strip(after, (before, after), low, high, "interval fell" if after < before else "interval")


def _strip(value: float, ends: tuple[float, float], low: float, high: float, css: str) -> str:
    scale = 100 / (high - low)
    start, end = sorted((end - low) * scale for end in ends)
    middle = (1500 - low) * scale
    mid = f'<line class="middle" x1="{middle:.1f}" x2="{middle:.1f}" y1="0" y2="16"/>' if 0 <= middle <= 100 else ""
    return (
        '<svg class="whisk" viewBox="0 0 100 16" preserveAspectRatio="none" aria-hidden="true">'
        '<line class="axis" x1="0" x2="100" y1="8" y2="8"/>'
        f"{mid}"
        f'<line class="{css}" x1="{start:.1f}" x2="{end:.1f}" y1="8" y2="8"/>'
        f'<rect class="value" x="{(value - low) * scale - 0.7:.1f}" y="2" width="1.4" height="12"/></svg>'
    )
