"""Reads a season's results from a table: a row for each seat of each game, as in `results.csv` of an exported season.

Problems are listed row by row. A table without problems becomes data of the same shape as a JSON file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext as _

from tournaments.core.results import FILLER_BOT
from tournaments.formats.round_robin import MAX_TABLE_SIZE
from tournaments.importexport.parse import impossible_places
from tournaments.importexport.season_file import MAX_ROUNDS
from tournaments.importexport.table import given_name_first
from tournaments.seasons.models import Bye
from tournaments.seasons.settings import MAX_DIVISIONS

REQUIRED_COLUMNS: Final = ("round", "table", "seat", "name", "placing")
NUMBER_COLUMNS: Final = {  # column → smallest value, largest value, and the value of an empty cell
    "division": (1, MAX_DIVISIONS, 1),
    "round": (1, MAX_ROUNDS, None),
    "table": (1, 32_767, None),
    "game": (1, 1000, 1),
    "seat": (0, MAX_TABLE_SIZE - 1, None),
    "score": (-1_000_000, 1_000_000, 0),
    "placing": (1, MAX_TABLE_SIZE + 1, None),
    "deal": (1, 2**31 - 1, None),
    "replay": (0, 1000, 0),
}
ABSENCE_VALUES: Final = ("", "left", "absent")
MAX_PROBLEMS: Final = 100
NAME_CELL_MAX_LENGTH: Final = 200
Cells = Mapping[str, str]
Add = Callable[[dict[str, Any], tuple[int, int]], None]  # adds a row to its round, at (division, round)


@dataclass(frozen=True, slots=True)
class CellProblem:
    """A problem with a cell, and what to do about it; `column` is "" if it concerns the row."""

    line: int
    column: str
    sentence: str


@dataclass(slots=True)
class ResultsTable:
    """The rows of a table, grouped. `rounds`: (division, round) → what was played; by entrant's name: `numbers` in the
    order of first appearance, `division`, the first round (`since`) and the first line (`lines`)."""

    rounds: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    division: dict[str, int] = field(default_factory=dict)
    since: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    problems: list[CellProblem] = field(default_factory=list)

    def add_problem(self, line: int, column: str, sentence: str) -> None:
        """Add a problem; after `MAX_PROBLEMS` the others are dropped."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(CellProblem(line, column, sentence))


def is_results_header(head: Sequence[str]) -> bool:
    """Return whether a table with these columns has results."""
    return {"name", "round", "table"} <= set(head)


def read_rows(head: Sequence[str], rows: Iterable[tuple[int, Sequence[str]]]) -> ResultsTable:
    """Group rows, each with its line number and cells."""
    table = ResultsTable()
    for name in REQUIRED_COLUMNS:
        if name not in head:
            table.add_problem(1, name, _("There is no such column. The first line must name the columns."))
    for line, cells in rows if not table.problems else ():
        if len(cells) > len(head):
            table.add_problem(line, "", _("This line has more cells than columns."))
        else:
            _read_row(table, line, dict(zip(head, cells, strict=False)))
    for at, played in table.rounds.items():
        for number, match in played["matches"].items():
            _check_seats(table, at, number, match)
    return table


def data_of_table(table: ResultsTable) -> dict[str, Any]:
    """Return a table without problems as a season's data. The format decides whether the season is over."""
    over: dict[str, Any] = {"places": []}
    divisions = sorted({at for at, _round in table.rounds})
    return {
        "status": "finished",
        "divisions": [{"number": number, **over} for number in range(1, max(divisions, default=1) + 1)],
        "entrants": [
            {"number": number, "name": name, "division": table.division[name], "since": table.since[name]}
            for name, number in table.numbers.items()
        ],
        "rounds": [_round_data(at, played) for at, played in sorted(table.rounds.items())],
    }


def _read_row(table: ResultsTable, line: int, cells: Cells) -> None:
    """Add a row, or a problem for each of its wrong cells."""
    before, number = len(table.problems), _read_numbers(table, line)
    division, played = number("division", cells), number("round", cells)
    name = given_name_first(cells.get("name", ""))
    if len(name) > NAME_CELL_MAX_LENGTH:
        table.add_problem(line, "name", _("A name must have 1 to {most} characters.").format(most=NAME_CELL_MAX_LENGTH))
    cells = {**cells, "name": name, "missing": given_name_first(cells.get("missing", ""))}
    add = (_read_seat if cells.get("table") else _read_bye)(table, line, cells)
    if len(table.problems) > before or division is None or played is None:
        return
    round = table.rounds.setdefault((division, played), {"matches": {}, "byes": {}, "open": False})
    add(round, (division, played))


def _read_numbers(table: ResultsTable, line: int) -> Callable[[str, Cells], int | None]:
    def number(column: str, cells: Cells) -> int | None:
        least, most, usual = NUMBER_COLUMNS[column]
        text = cells.get(column, "")
        if not text and (usual is not None or column == "deal"):
            return usual
        plain = text.removeprefix("-")
        value = int(text) if plain.isascii() and plain.isdecimal() and len(plain) < 10 else None
        if value is None or not least <= value <= most:
            sentence = _("Enter a whole number from {least} to {most}.")
            table.add_problem(line, column, sentence.format(least=least, most=most))
            return None
        return value

    return number


def _entrant_number(table: ResultsTable, line: int, name: str, at: tuple[int, int]) -> int:
    """Return the number of the entrant called `name`, a new one at the first appearance."""
    division, played = at
    if table.division.setdefault(name, division) != division:
        sentence = _("{name} already plays in division {n}. Results of a play-off can be imported only from JSON.")
        table.add_problem(line, "division", sentence.format(name=name, n=table.division[name]))
    table.since[name] = min(played, table.since.get(name, played))
    table.lines.setdefault(name, line)
    return table.numbers.setdefault(name, len(table.numbers) + 1)


def _read_bye(table: ResultsTable, line: int, cells: Cells) -> Add:
    """Check a row without a table; return what adds it to its round."""
    name, kind, missing = cells.get("name", ""), cells.get("status", ""), cells.get("missing", "")
    kinds = ", ".join(Bye.Kind.values)
    if not name:
        table.add_problem(line, "name", _("Enter the entrant without a match."))
    if kind not in Bye.Kind.values:
        table.add_problem(line, "status", _("A row without a table must be one of {kinds}.").format(kinds=kinds))
    elif (kind == Bye.Kind.WALKOVER) != bool(missing):
        table.add_problem(
            line, "missing", _("For a walkover, enter the player who did not come. Otherwise leave this empty.")
        )

    def add(round: dict[str, Any], at: tuple[int, int]) -> None:
        entrant = _entrant_number(table, line, name, at)
        away = _entrant_number(table, line, missing, at) if missing else None
        round["byes"][entrant] = {"entrant": entrant, "kind": kind, "missing": away}

    return add


def _read_seat(table: ResultsTable, line: int, cells: Cells) -> Add:
    """Check a row of a seat; return what adds it to its round."""
    number = _read_numbers(table, line)
    place, game, seat = (number(column, cells) for column in ("table", "game", "seat"))
    replay, deal = number("replay", cells), number("deal", cells)
    status, ruling, gone = cells.get("status") or "finished", cells.get("ruling", ""), cells.get("gone", "")
    _check_choice(table, line, "status", status, ("finished", "aborted", "playing"))
    _check_choice(table, line, "ruling", ruling, ("", "adjudicated", "annulled", "replaced"))
    _check_choice(table, line, "gone", gone, ABSENCE_VALUES)
    counts = ruling == "adjudicated" or (status == "finished" and not ruling)
    placing = number("placing", cells) if counts or cells.get("placing") else None
    score = number("score", cells)

    def add(round: dict[str, Any], at: tuple[int, int]) -> None:
        round["open"] |= status == "playing" and not ruling
        name = cells.get("name", "")
        entrant = _entrant_number(table, line, name, at) if name else FILLER_BOT
        match = round["matches"].setdefault(place, {"line": line, "slot": cells.get("slot", ""), "games": {}})
        common = {"status": status, "ruling": ruling, "deal": deal, "finished_at": cells.get("finished_at", "")}
        game_rows = match["games"].setdefault((game, replay), {**common, "line": line, "counts": counts, "seats": {}})
        if seat in game_rows["seats"]:
            table.add_problem(line, "seat", _("Another row already has seat {seat} of this game.").format(seat=seat))
        elif {name: game_rows[name] for name in common} != common:
            table.add_problem(line, "", _("All rows of a game must have the same status, ruling, deal and time."))
        game_rows["seats"].setdefault(seat, (entrant, score, placing, gone, cells.get("termination", "")))

    return add


def _check_choice(table: ResultsTable, line: int, column: str, value: str, choices: Iterable[str]) -> None:
    if value not in choices:
        listed = ", ".join(choice for choice in choices if choice)
        table.add_problem(line, column, _("Enter one of {choices}.").format(choices=listed))


def _check_seats(table: ResultsTable, at: tuple[int, int], place: int, match: Mapping[str, Any]) -> None:
    for (number, _replay), game in match["games"].items():
        seats = sorted(game["seats"])
        if seats != list(range(len(seats))) or len(seats) < 2:
            sentence = _("A row is missing for game {game} at table {table} of round {round}: its seats are 0, 1 …")
            table.add_problem(game["line"], "seat", sentence.format(game=number, table=place, round=at[1]))
        elif game["counts"] and (problem := impossible_places([game["seats"][seat][2] for seat in seats])):
            table.add_problem(game["line"], "placing", problem)


def _round_data(at: tuple[int, int], played: Mapping[str, Any]) -> dict[str, Any]:
    division, number = at
    return {
        "division": division,
        "number": number,
        "status": "open" if played["open"] else "closed",
        "byes": list(played["byes"].values()),
        "matches": [_match_data(place, match) for place, match in sorted(played["matches"].items())],
    }


def _match_data(place: int, match: Mapping[str, Any]) -> dict[str, Any]:
    (first, _replay), game = min(match["games"].items())
    seats = [game["seats"][seat][0] for seat in sorted(game["seats"])]
    shift = len(seats) - (first - 1) % len(seats)  # seats shift by one from game to game
    entrants = [seat for seat in (*seats[shift:], *seats[:shift]) if seat != FILLER_BOT]
    games = [_game_data(number, replay, game) for (number, replay), game in sorted(match["games"].items())]
    return {"table": place, "slot": match["slot"], "entrants": entrants, "games": games, "line": match["line"]}


def _game_data(number: int, replay: int, game: Mapping[str, Any]) -> dict[str, Any]:
    seats = [game["seats"][seat] for seat in sorted(game["seats"])]
    return {
        "number": number,
        "replay": replay,
        "status": game["status"],
        "ruling": game["ruling"] or None,
        "deal": game["deal"],
        "finished_at": game["finished_at"] or None,
        "seats": [seat[0] for seat in seats],
        "scores": [seat[1] for seat in seats] if game["counts"] else None,
        "placings": [seat[2] for seat in seats] if game["counts"] else None,
        "termination": seats[0][4] or None,
        "left": [place for place, seat in enumerate(seats) if seat[3]],
        "absent": [place for place, seat in enumerate(seats) if seat[3] == "absent"],
    }
