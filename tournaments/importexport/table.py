"""Reads a table as spreadsheets write it: with any of the usual delimiters and headings, and with empty lines and
cells around it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.utils.translation import gettext as _

from tournaments.importexport.export import FORMULA_PREFIXES
from tournaments.importexport.values import bad_file_error

DELIMITERS: Final = ",;\t"
SEPARATOR_LINE: Final = re.compile(r"\"?sep=(.)\"?[,;\t ]*(?:\r\n|\r|\n|$)", re.IGNORECASE)  # Excel's own first line
# Headings of other programs and of German spreadsheets, with the names of the columns here.
HEADINGS: Final = {
    "runde": "round",
    "rd": "round",
    "tisch": "table",
    "brett": "table",
    "board": "table",
    "spiel": "game",
    "partie": "game",
    "sitz": "seat",
    "spieler": "name",
    "spielerin": "name",
    "teilnehmer": "name",
    "punkte": "score",
    "points": "score",
    "rang": "placing",
    "rank": "placing",
    "platzierung": "placing",
    "platzziffer": "placing",
    "place": "placing",
    "staffel": "division",
    "liga": "division",
    "gruppe": "division",
}
SEAT_OR_PLACE: Final = "platz"  # German for both


@dataclass(frozen=True, slots=True)
class Table:
    """A table's column names and its rows, each with its number; `titles` is column → its name in the file; `notes` are
    sentences for the organiser."""

    head: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]
    notes: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)


def read_table(text: str) -> Table:
    """Read a CSV file. Rows lose empty cells at their end. A list of names, one per line, needs no first line with the
    names of the columns. Raises `DomainError` bad_file (400)."""
    first, delimiter, text = 1, "", text
    if separated := SEPARATOR_LINE.match(text):
        first, delimiter, text = 2, separated[1], text[separated.end() :]
    if delimiter not in tuple(DELIMITERS):
        line = next((line for line in text.splitlines() if line.strip()), "")
        delimiter = max(DELIMITERS, key=line.count)
    rows = _rows(text, delimiter, first)
    head, titles = column_names(rows[0][1]) if rows else (), {}
    if "name" in head:
        titles = dict(zip(head, map(_unescape_cell, rows[0][1]), strict=True))
        rows = rows[1:]
    elif len(head) > 1 and not all(_is_name_in_two_cells(row, delimiter) for _number, row in rows if len(row) > 1):
        raise bad_file_error(_("The first line must name the columns, and one of them must be “name”."))
    else:
        head = ("name",)
    if head == ("name",) and delimiter == ",":  # then a comma is part of a name
        rows = [(number, [delimiter.join(row)]) for number, row in rows]
    unescaped = tuple((number, [_unescape_cell(cell) for cell in row]) for number, row in rows)
    return Table(head, unescaped, titles=titles)


def _rows(text: str, delimiter: str, first: int) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        found = list(enumerate(reader, start=first))
    except csv.Error as error:
        raise bad_file_error(_("This is not valid CSV: {error}.").format(error=error)) from None
    for _number, row in found:
        while row and not row[-1].strip():
            row.pop()
    return [(number, row) for number, row in found if row]


def column_names(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns that the cells of a first line stand for."""
    head = [_unescape_cell(cell).lower().rstrip(".") for cell in cells]
    named = set(head)
    head = [HEADINGS[each] if HEADINGS.get(each, each) not in named else each for each in head]
    if SEAT_OR_PLACE in head:
        head[head.index(SEAT_OR_PLACE)] = "placing" if "placing" not in head and "seat" in head else "seat"
    return tuple(head)


def _is_name_in_two_cells(row: Sequence[str], delimiter: str) -> bool:
    """Return whether a row may be “Surname, Given name” without quotes: a space follows the comma."""
    return delimiter == "," and len(row) == 2 and row[1].startswith(" ")


def given_name_first(name: str) -> str:
    """Return “Given Surname” for “Surname, Given”. No name of ours has a comma."""
    surname, comma, given = (part.strip() for part in name.partition(","))
    return f"{given} {surname}" if comma and surname and given and "," not in given else name.strip()


def _unescape_cell(cell: str) -> str:
    """Return a cell without the mark that makes it text for spreadsheets."""
    plain = cell.strip()
    return plain[1:] if plain.startswith("'") and plain[1:].startswith(FORMULA_PREFIXES) else cell
