"""Imports a list of entrants or an exported season (`tournaments.importexport.export`): reads the file, matches its
entrants, and creates a season from it, completely or not at all."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, NamedTuple

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from tournaments.clubs.models import Club
from tournaments.formats import FORMATS
from tournaments.importexport import players, results_table, trf
from tournaments.importexport.entrant_rows import FileEntrant, MatchedEntrant, match_entrants
from tournaments.importexport.export import BYTE_ORDER_MARK
from tournaments.importexport.parse import parse_season
from tournaments.importexport.results_table import CellProblem
from tournaments.importexport.season_file import FILE_FORMAT, FILE_VERSION
from tournaments.importexport.store import ImportedSeason, store_season
from tournaments.importexport.table import Table, given_name_first, read_table
from tournaments.importexport.values import bad_file_error
from tournaments.lifecycle import setup
from tournaments.lifecycle.api import PlanSerializer
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.seasons.models import Season
from tournaments.seasons.settings import MAX_ENTRANTS, MAX_GAMES_PER_MATCH, SeasonSettings

MAX_FILE_BYTES: Final = 900_000  # less than the size limit of a request
CELL_MAX_LENGTH: Final = 200
UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
PLAN_FIELDS_NOT_IN_FILE: Final = {"name", "league", "new_league", "starts_at", "players", "bots", "repeats"}
SETTINGS_IN_FILE: Final = {field.name for field in fields(SeasonSettings)}
PLAN_FIELDS_IN_FILE: Final = tuple(sorted(set(PlanSerializer().fields) - PLAN_FIELDS_NOT_IN_FILE))


@dataclass(frozen=True, slots=True)
class EntrantFile:
    """The content of a file: its entrants; the settings of an exported season and, if it has results, all of its
    `data`; the `problems` in the rows of a table; and `notes`, sentences about how it was read."""

    rows: tuple[FileEntrant, ...]
    settings: Mapping[str, Any] | None = None
    data: Mapping[str, Any] | None = None
    problems: tuple[CellProblem, ...] = ()
    notes: tuple[str, ...] = ()


class ImportedStanding(NamedTuple):
    """A row of the standings that follow from the results of a file."""

    division: int
    place: int
    name: str
    points: float


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import: a match for each entrant; `season` if it was created; `problem` if it would be refused;
    `problems` for each wrong cell. With results, also the final standings."""

    lines: tuple[MatchedEntrant, ...]
    problem: str = ""
    season: Season | None = None
    problems: tuple[CellProblem, ...] = ()
    notes: tuple[str, ...] = ()
    rounds: int = 0
    games: int = 0
    standings: tuple[ImportedStanding, ...] = ()

    @property
    def unknown(self) -> list[MatchedEntrant]:
        """Return the matches without a player."""
        return [line for line in self.lines if line.problem]

    @property
    def fine(self) -> bool:
        """Return whether the season was created, or could be."""
        return not (self.problem or self.problems or self.unknown) and bool(self.lines)


def read_entrants(text: str, most: int = MAX_FILE_BYTES) -> EntrantFile:
    """Read `text`, JSON or CSV. Raises `DomainError` bad_file (400), with the line if there is one."""
    if len(text.encode(errors="replace")) > most:
        raise bad_file_error(_("A file may have at most {most} kB.").format(most=most // 1000))
    text = text.removeprefix(BYTE_ORDER_MARK)
    if not _is_text(text):
        raise bad_file_error(_("This is not a text file. Send a CSV or JSON file in UTF-8."))
    sheet = _from_json(text) if text.lstrip().startswith(("{", "[")) else _from_table(_table(text))
    if not (sheet.rows or sheet.problems):
        raise bad_file_error(_("The file has no entrants."))
    if len(sheet.rows) > MAX_ENTRANTS:
        raise bad_file_error(_("A season can have at most {most} entrants; the file has {n}.").format(
            most=MAX_ENTRANTS, n=len(sheet.rows)
        ))  # fmt: skip
    return sheet


def _table(text: str) -> Table:
    return trf.read_report(text) if trf.is_report(text) else read_table(text)


def without_rounds(text: str) -> str:
    """Return the part of an exported season that an import of its entrants needs: everything but the rounds."""
    if not text.lstrip(BYTE_ORDER_MARK).lstrip().startswith("{"):
        return text
    data = json.loads(text.removeprefix(BYTE_ORDER_MARK))
    kept = {name: data[name] for name in ("format", "version", "settings", "entrants") if name in data}
    return json.dumps(kept, ensure_ascii=False, indent=1)


def _from_json(text: str) -> EntrantFile:
    try:
        data = json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        raise bad_file_error(_("This is not valid JSON: {error}.").format(error=str(error)[:CELL_MAX_LENGTH])) from None
    if not _is_storable(data):
        raise bad_file_error(_("This is not a text file. Send a CSV or JSON file in UTF-8."))
    settings = whole = None
    if isinstance(data, dict):
        whole = data
        if data.get("format") != FILE_FORMAT:
            raise bad_file_error(
                _("This is not a season file: its format is not “{format}”.").format(format=FILE_FORMAT)
            )
        if data.get("version") != FILE_VERSION:
            sentence = _(
                "This file does not have version {version}, the only one supported here. Export the season "
                "again from a Scorebook of this version, or import only its entrants as a list or CSV."
            )
            raise bad_file_error(sentence.format(version=FILE_VERSION))
        settings = data.get("settings")
        if settings is not None and not isinstance(settings, dict):
            raise bad_file_error(_("The settings of the season must be an object."))
        data = data.get("entrants")
    if not isinstance(data, list):
        raise bad_file_error(_("The file has no list of entrants."))
    rows = tuple(_json_row(number, each) for number, each in enumerate(data, start=1))
    return EntrantFile(rows, settings, whole if whole and whole.get("rounds") else None)


def _reject_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _is_text(text: str) -> bool:
    """Return whether the database can store the text: no character 0, no lone surrogate."""
    return UNSTORABLE.search(text) is None


def _is_storable(data: Any) -> bool:
    """Return whether the database can store all texts in the data, which may contain escapes like \\ud800."""
    text = json.dumps(data, ensure_ascii=False)
    return "\\u0000" not in text and _is_text(text)


def _json_row(number: int, each: Any) -> FileEntrant:
    if isinstance(each, str):
        each = {"name": each}
    if not isinstance(each, dict) or not isinstance(each.get("name"), str):
        raise bad_file_error(_("Entrant {number} has no name.").format(number=number))
    version, player = (each.get(name) or 0 for name in ("bot_version", "player"))
    return replace(_file_entrant(number, each["name"], version, player), bot=each.get("bot") is True)


def _from_table(table: Table) -> EntrantFile:
    """Return the entrants of a list, or the results of a table. The columns of a list are `name`, and optionally
    `version` and `player`."""
    if results_table.is_results_header(table.head):
        return _from_results(table)
    problems: list[CellProblem] = []
    rows: list[FileEntrant] = []
    for number, cells in table.rows:
        if len(cells) > len(table.head):
            problems.append(CellProblem(number, "", _("This line has more cells than columns.")))
            continue
        row = dict(zip(table.head, cells, strict=False))
        rows.append(_file_entrant(number, row.get("name", ""), row.get("version") or 0, row.get("player") or 0))
    return EntrantFile((), problems=tuple(problems)) if problems else EntrantFile(tuple(rows))


def _from_results(table: Table) -> EntrantFile:
    """Read a results table. Its entrants are those in its seats, in order of appearance."""
    found = results_table.read_rows(table.head, table.rows)
    if found.problems:
        titled = (
            replace(problem, column=table.titles.get(problem.column, problem.column)) for problem in found.problems
        )
        return EntrantFile((), problems=tuple(titled))
    rows = tuple(FileEntrant(found.lines[name], name) for name in found.numbers)
    return EntrantFile(rows, data=results_table.data_of_table(found), notes=table.notes)


def _file_entrant(number: int, name: str, version: Any, player: Any) -> FileEntrant:
    if not name.strip() or len(name) > CELL_MAX_LENGTH:
        sentence = _("Line {number}: a name must have 1 to {most} characters.")
        raise bad_file_error(sentence.format(number=number, most=CELL_MAX_LENGTH))
    try:
        found = tuple(int(str(value)) for value in (version, player))
    except ValueError:
        raise bad_file_error(_("Line {number}: version and player must be numbers.").format(number=number)) from None
    if not all(0 <= value < 2**31 for value in found):
        raise bad_file_error(_("Line {number}: version and player must be numbers.").format(number=number))
    return FileEntrant(number, given_name_first(name), found[0], found[1])


def plan_from_file(settings: Mapping[str, Any], plan: SeasonPlan) -> SeasonPlan:
    """Return `plan` with the settings of an exported season, checked as the API checks them. Raises `DomainError`
    bad_file (400)."""
    for name in settings:
        if name not in SETTINGS_IN_FILE:
            sentence = _("There is no setting {name}. The settings are {known}.")
            known = ", ".join(sorted(SETTINGS_IN_FILE))
            raise bad_file_error(sentence.format(name=name[:CELL_MAX_LENGTH], known=known))
    sent = PlanSerializer(data={name: settings[name] for name in PLAN_FIELDS_IN_FILE if name in settings}, partial=True)
    if not sent.is_valid():
        name, wrong = next(iter(sent.errors.items()))
        raise bad_file_error(_("The setting {name}: {wrong}").format(name=name, wrong=str(wrong)[:CELL_MAX_LENGTH]))
    return replace(plan, **sent.validated_data)


def import_season(
    *,
    club: Club,
    user: User | AnonymousUser,
    plan: SeasonPlan,
    text: str,
    dry_run: bool,
    like: Season | None = None,
    results: bool = False,
    most: int = MAX_FILE_BYTES,
) -> ImportReport:
    """Create a season from `plan` with the entrants in `text`, or report what is wrong; with `results`, the whole
    season as it was played.

    The settings are those of the season `like`, else those in the file, else the plan's. A dry run does everything and
    rolls it back. Nothing is saved unless every line is right. Raises `DomainError`: not_organiser (403), bad_file
    (400).
    """
    setup.check_may_organise(user, club)
    sheet = read_entrants(text, most)
    settings = like.settings if like else sheet.settings
    if results or sheet.problems:
        return _import_with_results(club, user, plan, sheet, settings, text, dry_run=dry_run)
    lines = tuple(match_entrants(sheet.rows))
    report = ImportReport(lines)
    if report.unknown:
        return report
    wanted = plan_from_file(settings, plan) if settings else plan
    players = [line.player.pk for line in lines if line.player]
    try:
        with transaction.atomic():
            season = setup.set_up(club=club, user=user, plan=replace(wanted, players=players))
            notes = setup.invitation_notes(season)
            if dry_run:
                transaction.set_rollback(True)
    except DomainError as error:
        return ImportReport(lines, problem=error.sentence)
    return ImportReport(lines, season=None if dry_run else season, notes=tuple(notes))


def _import_with_results(
    club: Club,
    user: User | AnonymousUser,
    plan: SeasonPlan,
    sheet: EntrantFile,
    settings: Mapping[str, Any] | None,
    text: str,
    *,
    dry_run: bool,
) -> ImportReport:
    if sheet.problems:
        return ImportReport((), problems=sheet.problems)
    if sheet.data is None:
        raise bad_file_error(
            _("The file has no rounds. Import only its entrants, or use a season’s data or results table.")
        )
    wanted = plan_from_file(settings, plan) if settings else plan
    if wanted.format not in FORMATS:
        raise bad_file_error(_("There is no format {name}.").format(name=wanted.format))
    usual = FORMATS[wanted.format].usual_games(wanted.table_size, wanted.format_options_settled())
    past = parse_season(
        sheet.data,
        table_size=wanted.table_size,
        games_a_match=min(wanted.games_a_match or usual, MAX_GAMES_PER_MATCH),
        continuous=FORMATS[wanted.format].continuous,
    )
    by_teams = FORMATS[wanted.format].by_teams
    if by_teams and not all(entrant.members for entrant in past.entrants):
        raise bad_file_error(_("A season of teams needs the players of each team. Use an exported season’s data."))
    rows = _rows_that_played(sheet)
    lines = (
        tuple(players.new_player_row(row) for row in rows) if by_teams else tuple(players.attribute_rows(rows, club))
    )
    if not past.rounds:
        raise bad_file_error(_("The file has no closed round, so there are no results. Import only its entrants."))
    if any(line.problem for line in lines):
        return ImportReport(lines)
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()
    try:
        with transaction.atomic():
            kept = store_season(club, user, wanted, past, lines, digest)
            if dry_run:
                transaction.set_rollback(True)
    except DomainError as error:
        return ImportReport(lines, problem=error.sentence)
    return ImportReport(
        lines,
        season=None if dry_run else kept.season,
        notes=(*sheet.notes, *kept.notes),
        rounds=len(past.rounds),
        games=past.games,
        standings=tuple(_imported_standings(kept)),
    )


def _rows_that_played(sheet: EntrantFile) -> list[FileEntrant]:
    """Return the rows of entrants who played: without waiting lists and early departures."""
    listed = (sheet.data or {}).get("entrants")
    stated = [each.get("status", "in") if isinstance(each, Mapping) else "in" for each in listed or ()]
    return [row for row, status in zip(sheet.rows, stated, strict=True) if status in ("in", "withdrawn")]


def _imported_standings(kept: ImportedSeason) -> list[ImportedStanding]:
    return [
        ImportedStanding(division, row.place, str(kept.names[row.entrant]), float(row.points))
        for division, rows in kept.standings.items()
        for row in rows
    ]
