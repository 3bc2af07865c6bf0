"""Pictures that other programs show beside a link to a page: PNG of 1200 × 630, drawn here by resvg.

A picture has only what it is given. Things of a table are drawn as the small pictures of pages draw them, from the same
rows (`scorebook_games.presentation.base.PreviewRow`). Fonts are shipped, so that every machine draws the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.http import HttpResponse
from django.utils.html import escape

from games.common import page_cache
from scorebook_games.presentation.base import Card, PreviewRow

WIDTH: Final = 1200  # as Open Graph's readers want it
HEIGHT: Final = 630
MARGIN: Final = 60
FONTS: Final = Path(__file__).parent / "fonts"
MAX_SEATS: Final = 8
MAX_LINES: Final = 3  # of the middle of a table
LINE: Final = 72  # height of a player with name and figure; with less room, both are smaller
TONES: Final = {"red": "#b8402c", "blue": "#2f62a8", "green": "#2d8a4e", "yellow": "#d99a1c"}
EDGE: Final = "#857d68"
INK: Final = "#1d2433"
RED: Final = "#a8321f"
FELT: Final = "#2c6e57"
FELT_INK: Final = "#f5f1e6"
GAP: Final = 8
SIZES: Final = {"dice": (58, 58), "discs": (62, 62), "words": (96, 58)}  # of a thing by the sort of its row
CARD_SIZE: Final = (62, 84)


@dataclass(frozen=True, slots=True)
class SeatLine:
    """A player of a table: name, figure, and what lies before them."""

    name: str
    figure: str = ""
    rows: Sequence[PreviewRow] = ()


@dataclass(frozen=True, slots=True)
class LinkPicture:
    """What a picture shows: a heading with a line below it, the players of a table, its middle, and a note."""

    heading: str
    line: str = ""
    seats: Sequence[SeatLine] = ()
    middle: Sequence[PreviewRow] = ()
    note: str = ""


def picture_response(picture: LinkPicture, lifetime_s: int = 60 * 60) -> HttpResponse:
    """Return a picture as an answer, which may be kept for so long. The same picture is drawn once."""
    key = page_cache.digest("link picture", repr(picture))
    drawn = page_cache.load(key)
    if drawn is None:
        drawn = png_of(picture)
        page_cache.store(key, drawn, len(drawn))
    response = HttpResponse(drawn, content_type="image/png")
    response["Cache-Control"] = f"public, max-age={lifetime_s}"
    return response


def png_of(picture: LinkPicture) -> bytes:
    """Draw a picture."""
    from resvg_py import svg_to_bytes  # noqa: PLC0415  compiled code that few processes need

    fonts = [str(FONTS / "DejaVuSans.ttf"), str(FONTS / "DejaVuSans-Bold.ttf")]
    return bytes(svg_to_bytes(svg_string=svg_of(picture), font_files=fonts, skip_system_fonts=True))


def svg_of(picture: LinkPicture) -> str:
    """Return a picture as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="DejaVu Sans">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{FELT}"/>',
        _text(MARGIN, 112, picture.heading, 58, bold=True, most=30),
        _text(MARGIN, 166, picture.line, 30, most=62),
    ]
    parts += _table(picture)
    parts.append(_text(MARGIN, HEIGHT - 40, picture.note, 28, most=56))
    parts.append(
        f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - 40}" font-size="28" font-weight="bold" text-anchor="end"'
        f' fill="{FELT_INK}" fill-opacity=".75">Scorebook</text>'
    )
    return "".join([*parts, "</svg>"])


def _table(picture: LinkPicture) -> Iterator[str]:
    """Yield the players on the left, each with what lies before them, and the middle of the table on the right. Lines
    beside which nothing lies may be longer."""
    seats = picture.seats[:MAX_SEATS]
    alone = not picture.middle and not any(seat.rows for seat in seats)
    top, bottom = 205, HEIGHT - 90
    step = min(112, (bottom - top) // max(1, len(seats)))
    tight = min(1.0, step / LINE)
    for number, seat in enumerate(seats):
        y = top + number * step
        yield _text(MARGIN, y + 34 * tight, seat.name, int(30 * tight), bold=True, most=50 if alone else 17)
        yield _text(MARGIN, y + 68 * tight, seat.figure, int(24 * tight), most=22)
        yield _heaps(seat.rows, 400, y, min(1.0, (step - 14) / CARD_SIZE[1]), 380)
    y = top
    count = len(picture.middle)
    lines = min(MAX_LINES, count)
    for line in range(lines):
        rows = picture.middle[round(line * count / lines) : round((line + 1) * count / lines)]
        yield _heaps(rows, 830, y, 1.15, 310)
        y += 118


def _heaps(rows: Sequence[PreviewRow], x: float, y: float, scale: float, room: float) -> str:
    """Return rows beside each other, made narrower if they need more than `room`."""
    drawn, width = [], 0.0
    for row in rows:
        if row.things:
            part, wide = _heap(row, width)
            drawn.append(part)
            width += wide + 3 * GAP
    scale = min(scale, room / width) if width else scale
    return f'<g transform="translate({x:g} {y:g}) scale({scale:.3f})">{"".join(drawn)}</g>' if drawn else ""


def _heap(row: PreviewRow, x: float) -> tuple[str, float]:
    """Return a row as SVG, and its width. Cards of a hand overlap."""
    width, height = SIZES.get(row.sort, CARD_SIZE)
    left, parts = x, []
    for thing in row.things:
        parts.append(_thing(thing, row.sort, left, width, height))
        left += (width * (0.45 if thing.back else 0.8) if row.sort == "hand" else width) + (
            GAP if not thing.back else 0
        )
    end = left + (width * 0.55 if row.things and row.sort == "hand" else 0)
    if row.total is not None:
        parts.append(_text(end + GAP, height / 2 + 11, str(row.total), 30, bold=True))
        end += 60
    return "".join(parts), end - x


def _thing(thing: Card, sort: str, x: float, width: float, height: float) -> str:
    """Return a card, die or piece."""
    box = f'x="{x:g}" y="0" width="{width:g}" height="{height:g}"'
    if thing.back:
        return f'<rect {box} rx="8" fill="#3d5f8f" stroke="#e8e2d2" stroke-width="4"/>'
    if not thing.rank and not thing.tone:
        return f'<rect {box} rx="8" fill="none" stroke="{FELT_INK}" stroke-opacity=".45" stroke-width="3"/>'
    if sort == "discs":
        edge = TONES.get(thing.tone, EDGE)
        radius = width / 2 - 5
        body = (
            f'<circle cx="{x + width / 2:g}" cy="{height / 2:g}" r="{radius:g}" fill="#fffdf8" stroke="{edge}"'
            ' stroke-width="10"/>'
        )
    else:
        body = f'<rect {box} rx="8" fill="#fffdf8" stroke="#000" stroke-opacity=".25"/>'
    face = f"{thing.rank}{thing.suit}"
    size = min(32.0, width / (0.8 * max(1, len(face))))
    return (
        f'{body}<text x="{x + width / 2:g}" y="{height / 2 + size * 0.36:g}" font-size="{size:.0f}" font-weight="bold"'
        f' text-anchor="middle" fill="{RED if thing.red else INK}">{escape(face)}</text>'
    )


def _text(x: float, y: float, text: str, size: int, *, bold: bool = False, most: int = 99) -> str:
    """Return a line of text of at most so many characters."""
    line = " ".join(text.split())
    line = line if len(line) <= most else f"{line[: most - 1]}…"
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}"{weight} fill="{FELT_INK}">{escape(line)}</text>' if line else ""
    )
