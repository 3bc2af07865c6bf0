"""Lists of entrants and tables of results with mistakes: correct CSV files with a few changes."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable
from typing import Final

from tests.fuzz import odd

ENTRANTS: Final = "name,version,player\nMartha,,\nLaura,,\nWilma,,\nGannet v1,,\nTin Whistle,1,\n"
RESULTS: Final = (
    "division,round,table,game,seat,name,score,placing,status,ruling,gone,termination,missing\n"
    "1,1,1,1,0,Martha,9,1,,,,,\n1,1,1,1,1,Laura,3,2,,,left,,\n1,1,,,,Wilma,,,bye,,,,\n"
    "1,2,1,1,0,Wilma,9,1,,,,,\n1,2,1,1,1,Gannet v1,3,2,,adjudicated,,,\n1,2,,,,Laura,,,walkover,,,,Martha\n"
    "1,3,1,1,0,Laura,5,1,,,,,\n1,3,1,1,1,Martha,5,1,,,,,\n1,3,2,1,0,Wilma,1,2,,,,,\n1,3,2,1,1,Gannet v1,2,1,,,,,\n"
)
NUMBERS: Final = ("0", "1", "2", "3", "-1", "7", "1001", "32768", "999999999", "1.5", "²", "")
WORDS: Final = ("bye", "away", "walkover", "finished", "aborted", "playing", "annulled", "replaced", "left", "absent")
Cells = list[list[str]]


def spoiled(chance: random.Random) -> str:
    """Return a file with up to four changes, which may still be correct."""
    cells = list(csv.reader(io.StringIO(chance.choice((ENTRANTS, RESULTS)))))
    for _each in range(chance.randint(0, 4)):
        chance.choice(DONE)(cells, chance)
    written = io.StringIO()
    delimiter, end = chance.choice(",,,;\t"), chance.choice(("\n", "\n", "\r\n", "\r"))
    csv.writer(written, delimiter=delimiter, lineterminator=end).writerows(cells)
    text = written.getvalue()
    if chance.random() < 0.15:
        text = chance.choice(TEXTS)(text, chance)
    return text


def _cell(cells: Cells, chance: random.Random) -> None:
    row = chance.choice(cells)
    if row:
        row[chance.randrange(len(row))] = chance.choice((_odd(chance), chance.choice(NUMBERS), chance.choice(WORDS)))


def _name(cells: Cells, chance: random.Random) -> None:
    """Change a player's name in all cells."""
    old, new = chance.choice(("Martha", "Laura", "Wilma", "Gannet v1")), _odd(chance)[:300]
    for row in cells:
        row[:] = [new if cell == old else cell for cell in row]


def _row(cells: Cells, chance: random.Random) -> None:
    at = chance.randrange(len(cells))
    what = chance.random()
    if what < 0.4 and len(cells) > 1:
        del cells[at]
    elif what < 0.7:
        cells.insert(chance.randrange(len(cells) + 1), list(cells[at]))
    elif what < 0.9:
        other = chance.randrange(len(cells))
        cells[at], cells[other] = cells[other], cells[at]
    else:
        cells[at].append(_odd(chance))


def _column(cells: Cells, chance: random.Random) -> None:
    """Remove, repeat or rename a column."""
    at, what = chance.randrange(max(map(len, cells)) or 1), chance.random()
    for number, row in enumerate(cells):
        if at < len(row):
            if what < 0.4:
                del row[at]
            elif what < 0.6:
                row.append(row[at])
            elif number == 0:
                row[at] = chance.choice((_odd(chance), row[at].upper(), f" {row[at]} ", "name", "round", "player"))


def _odd(chance: random.Random) -> str:
    return chance.choice(odd.TEXTS)


DONE: Final[tuple[Callable[[Cells, random.Random], None], ...]] = (_cell, _cell, _cell, _name, _row, _row, _column)
TEXTS: Final[tuple[Callable[[str, random.Random], str], ...]] = (
    lambda text, _chance: "\ufeff" + text,
    lambda text, chance: text[: chance.randrange(len(text) + 1)],
    lambda text, chance: text.replace(",", chance.choice(('"', "'", ",,", "\n")), chance.randint(1, 3)),
    lambda text, _chance: text + '"',
    lambda text, _chance: text.replace("Martha", "'=Martha"),
    lambda text, chance: _odd(chance) + text,
    lambda text, _chance: "\n\n" + text.replace("\n", "\n \n"),
)
