"""Draws small charts of the last days as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

WIDTH: Final = 360
HEIGHT: Final = 80
BASELINE: Final = 78
MAX_BAR_HEIGHT: Final = 74  # of the highest bar
MIN_PLACES: Final = 30  # with fewer values the bars are at the right, as wide as among so many


def bars(values: Sequence[float | None]) -> str:
    """Return a bar for each value: the last one in grey, because its day is not over, a gap for None, a very low bar
    for 0. The picture is hidden from screen readers, because the figures are beside it as text."""
    most = max((value for value in values if value), default=0.0)
    places = max(len(values), MIN_PLACES)
    left, step = places - len(values), WIDTH / places
    shares = [(at, value / most if most else 0.0) for at, value in _known_values(values)]
    drawn = [_bar(left + at, share, step, last=at == len(values) - 1) for at, share in shares]
    base = f'<line class="base" x1="0" x2="{WIDTH}" y1="{BASELINE}.5" y2="{BASELINE}.5"/>'
    return f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">{"".join(drawn)}{base}</svg>'


def _known_values(values: Sequence[float | None]) -> list[tuple[int, float]]:
    return [(at, value) for at, value in enumerate(values) if value is not None]


def _bar(at: int, share: float, step: float, *, last: bool) -> str:
    height = max(share * MAX_BAR_HEIGHT, 0.6)
    css = "bar now" if last else "bar"
    x, y = at * step + 0.1 * step, BASELINE - height
    return f'<rect class="{css}" x="{x:.1f}" y="{y:.1f}" width="{0.8 * step:.1f}" height="{height:.1f}"/>'
