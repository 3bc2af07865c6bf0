"""A list of entrants from a file, or from a season that was written (`tournaments.importexport.export`): what it says,
who is meant by it, and a season made of it, whole or not at all.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.utils.translation import gettext as _

from tournaments.core.errors import LeagueError
from tournaments.formats import FORMATS
from tournaments.importexport import players, results_table
from tournaments.importexport.entrant_rows import Line, Row, matched
from tournaments.importexport.export import BYTE_ORDER_MARK, FORMAT, SPREADSHEET, VERSION
from tournaments.importexport.parse import past_of
from tournaments.importexport.results_table import Problem
from tournaments.importexport.store import Kept, keep
from tournaments.importexport.values import bad
from tournaments.lifecycle import setup
from tournaments.lifecycle.api import PlanSerializer
from tournaments.lifecycle.setup import Plan
from tournaments.models import Club, Season
from tournaments.seasons.settings import MOST_ENTRANTS, MOST_GAMES

MOST_BYTES: Final = 900_000  # less than a request may have
LONGEST_CELL: Final = 200
NO_TEXT: Final = re.compile("[\0\ud800-\udfff]")
NOT_OF_A_FILE: Final = {"name", "league", "new_league", "starts_at", "players", "bots", "repeats"}
IN_PLAN: Final = tuple(sorted(set(PlanSerializer().fields) - NOT_OF_A_FILE))


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a file says: its entrants, of a written season its settings, and all of its `data` if there are results in
    it; of a table of results the `problems` of its rows."""

    rows: tuple[Row, ...]
    settings: Mapping[str, Any] | None = None
    data: Mapping[str, Any] | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What an import came to: a line for each entrant; `season` if it was made, `problem` where it would be refused,
    `problems` cell by cell. With results: the standings that they come to, as (division, place, name, points)."""

    lines: tuple[Line, ...]
    problem: str = ""
    season: Season | None = None
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    rounds: int = 0
    games: int = 0
    standings: tuple[tuple[int, int, str, float], ...] = field(default=())

    @property
    def unknown(self) -> list[Line]:
        """The lines that name nobody."""
        return [line for line in self.lines if line.problem]

    @property
    def fine(self) -> bool:
        """Whether the season can be made, or was."""
        return not (self.problem or self.problems or self.unknown) and bool(self.lines)


def read(text: str, most: int = MOST_BYTES) -> Sheet:
    """What `text` says, JSON or CSV. Raises `LeagueError` bad_file (400), with the line where there is one."""
    if len(text.encode(errors="replace")) > most:
        raise bad(_("A file has {most} kB at most.").format(most=most // 1000))
    text = text.removeprefix(BYTE_ORDER_MARK)
    if not _is_text(text):
        raise bad(_("This is no text. Send a CSV or JSON file in UTF-8."))
    sheet = _from_json(text) if text.lstrip().startswith(("{", "[")) else _from_csv(text)
    if not (sheet.rows or sheet.problems):
        raise bad(_("The file names no entrants."))
    if len(sheet.rows) > MOST_ENTRANTS:
        raise bad(_("A season has {most} entrants at most; the file names {n}.").format(
            most=MOST_ENTRANTS, n=len(sheet.rows)
        ))  # fmt: skip
    return sheet


def slim(text: str) -> str:
    """What of a file that can be read an import of its entrants looks at: a written season without its rounds."""
    if not text.lstrip(BYTE_ORDER_MARK).lstrip().startswith("{"):
        return text
    data = json.loads(text.removeprefix(BYTE_ORDER_MARK))
    kept = {name: data[name] for name in ("format", "version", "settings", "entrants") if name in data}
    return json.dumps(kept, ensure_ascii=False, indent=1)


def _from_json(text: str) -> Sheet:
    try:
        data = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise bad(_("This is no JSON: {error}.").format(error=str(error)[:LONGEST_CELL])) from None
    if not _storable(data):
        raise bad(_("This is no text. Send a CSV or JSON file in UTF-8."))
    settings = whole = None
    if isinstance(data, dict):
        whole = data
        if data.get("format") != FORMAT or data.get("version") != VERSION:
            sentence = _("This is no season of format {format}, version {version}.")
            raise bad(sentence.format(format=FORMAT, version=VERSION))
        settings = data.get("settings")
        if settings is not None and not isinstance(settings, dict):
            raise bad(_("The settings of the season are no object."))
        data = data.get("entrants")
    if not isinstance(data, list):
        raise bad(_("The file has no list of entrants."))
    rows = tuple(_json_row(number, each) for number, each in enumerate(data, start=1))
    return Sheet(rows, settings, whole if whole and whole.get("rounds") else None)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _is_text(text: str) -> bool:
    """Whether a database can hold it: no character 0, no half of a pair of surrogates."""
    return NO_TEXT.search(text) is None


def _storable(data: Any) -> bool:
    """Whether a database can hold its texts, which may have been written as \\ud800."""
    told = json.dumps(data, ensure_ascii=False)
    return "\\u0000" not in told and _is_text(told)


def _json_row(number: int, each: Any) -> Row:
    if isinstance(each, str):
        each = {"name": each}
    if not isinstance(each, dict) or not isinstance(each.get("name"), str):
        raise bad(_("Entrant {number} has no name.").format(number=number))
    version, player = (each.get(name) or 0 for name in ("bot_version", "player"))
    return replace(_row(number, each["name"], version, player), bot=each.get("bot") is True)


def _from_csv(text: str) -> Sheet:
    """A CSV file whose first line names its columns: `name`, and if there are, `version` and `player`. A file of one
    column needs no first line."""
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    try:
        cells = [
            (n, row) for n, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), start=1)
        ]
    except csv.Error as error:
        raise bad(_("This is no CSV: {error}.").format(error=error)) from None
    cells = [(n, [_bare(cell) for cell in row]) for n, row in cells if any(cell.strip() for cell in row)]
    if not cells:
        return Sheet(())
    head = [cell.lower() for cell in cells[0][1]]
    if "name" not in head:
        if len(head) > 1:
            raise bad(_("The first line names the columns; one of them is “name”."))
        head = ["name"]
    else:
        cells = cells[1:]
    if results_table.is_results(head):
        return _from_results(head, cells)
    return Sheet(tuple(_csv_row(number, dict(zip(head, row, strict=False))) for number, row in cells))


def _from_results(head: Sequence[str], cells: Sequence[tuple[int, Sequence[str]]]) -> Sheet:
    """A table of results: its entrants are who sits in them, in the order of coming."""
    found = results_table.read_rows(head, cells)
    if found.problems:
        return Sheet((), problems=tuple(found.problems))
    rows = tuple(Row(found.lines[name], name) for name in found.numbers)
    return Sheet(rows, data=results_table.data_of_table(found))


def _csv_row(number: int, row: Mapping[str, str]) -> Row:
    return _row(number, row.get("name", ""), row.get("version") or 0, row.get("player") or 0)


def _bare(cell: str) -> str:
    """A cell without what marks it as text for spreadsheets."""
    cell = cell.strip()
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(SPREADSHEET) else cell


def _row(number: int, name: str, version: Any, player: Any) -> Row:
    if not name.strip() or len(name) > LONGEST_CELL:
        sentence = _("Line {number}: a name has 1 to {most} characters.")
        raise bad(sentence.format(number=number, most=LONGEST_CELL))
    try:
        found = tuple(int(str(value)) for value in (version, player))
    except ValueError:
        raise bad(_("Line {number}: version and player are numbers.").format(number=number)) from None
    if not all(0 <= value < 2**31 for value in found):
        raise bad(_("Line {number}: version and player are numbers.").format(number=number))
    return Row(number, name.strip(), found[0], found[1])


def plan_of(settings: Mapping[str, Any], plan: Plan) -> Plan:
    """`plan` with the settings of a season that was written, checked as the API checks them. Raises `LeagueError`
    bad_file (400)."""
    sent = PlanSerializer(data={name: settings[name] for name in IN_PLAN if name in settings}, partial=True)
    if not sent.is_valid():
        name, wrong = next(iter(sent.errors.items()))
        raise bad(_("The setting {name}: {wrong}").format(name=name, wrong=str(wrong)[:LONGEST_CELL]))
    return replace(plan, **sent.validated_data)


def import_season(
    *,
    club: Club,
    user: User | AnonymousUser,
    plan: Plan,
    text: str,
    dry_run: bool,
    like: Season | None = None,
    results: bool = False,
    most: int = MOST_BYTES,
) -> Report:
    """Make a season of `plan`, not started, with the entrants that `text` names, or say why not; with `results` the
    season as it was played, from a file that has them.

    Its settings are those of the season `like`, else those in the file, else the plan's. A dry run goes through
    everything and undoes it. Nothing is written unless every line is right. Raises `LeagueError`: not_organiser (403),
    bad_file (400).
    """
    setup.check_role(user, club)
    sheet = read(text, most)
    settings = like.settings if like else sheet.settings
    if results or sheet.problems:
        return _with_results(club, user, plan, sheet, settings, text, dry_run=dry_run)
    lines = tuple(matched(sheet.rows))
    report = Report(lines)
    if report.unknown:
        return report
    wanted = plan_of(settings, plan) if settings else plan
    players = [line.player.pk for line in lines if line.player]
    try:
        with transaction.atomic():
            season = setup.set_up(club=club, user=user, plan=replace(wanted, players=players))
            if dry_run:
                transaction.set_rollback(True)
    except LeagueError as error:
        return Report(lines, problem=error.sentence)
    return Report(lines, season=None if dry_run else season)


def _with_results(
    club: Club,
    user: User | AnonymousUser,
    plan: Plan,
    sheet: Sheet,
    settings: Mapping[str, Any] | None,
    text: str,
    *,
    dry_run: bool,
) -> Report:
    if sheet.problems:
        return Report((), problems=sheet.problems)
    if sheet.data is None:
        raise bad(_("The file has no rounds. Import its entrants alone, or take a season’s data or table of results."))
    wanted = plan_of(settings, plan) if settings else plan
    if wanted.format not in FORMATS:
        raise bad(_("There is no format {name}.").format(name=wanted.format))
    past = past_of(
        sheet.data,
        table_size=wanted.table_size,
        games_a_match=min(wanted.games_a_match or wanted.table_size, MOST_GAMES),
        continuous=FORMATS[wanted.format].continuous,
    )
    lines = tuple(players.attributed(_playing(sheet), club))
    if not past.rounds:
        raise bad(_("No round of the file is closed: there is nothing to count. Import its entrants alone."))
    if any(line.problem for line in lines):
        return Report(lines)
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()
    try:
        with transaction.atomic():
            kept = keep(club, user, wanted, past, lines, digest)
            if dry_run:
                transaction.set_rollback(True)
    except LeagueError as error:
        return Report(lines, problem=error.sentence)
    return Report(
        lines,
        season=None if dry_run else kept.season,
        notes=tuple(kept.notes),
        rounds=len(past.rounds),
        games=past.games,
        standings=tuple(_standings(kept)),
    )


def _playing(sheet: Sheet) -> list[Row]:
    """The rows of those who played: not who waited, or left before."""
    listed = (sheet.data or {}).get("entrants")
    stated = [each.get("status", "in") if isinstance(each, Mapping) else "in" for each in listed or ()]
    return [row for row, status in zip(sheet.rows, stated, strict=True) if status in ("in", "withdrawn")]


def _standings(kept: Kept) -> list[tuple[int, int, str, float]]:
    return [
        (division, row.place, str(kept.names[row.entrant]), float(row.points))
        for division, rows in kept.standings.items()
        for row in rows
    ]
