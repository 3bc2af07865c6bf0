"""A list of entrants from a file, or from a season that was written (`tournaments.files.writing`): what it says, who is
meant by it, and a season made of it, whole or not at all.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from games.accounts import names
from games.models import Player
from tournaments import setup
from tournaments.errors import LeagueError
from tournaments.files.writing import BYTE_ORDER_MARK, FORMAT, SPREADSHEET, VERSION
from tournaments.models import Club, Season
from tournaments.settings import MOST_ENTRANTS
from tournaments.setup import Plan
from tournaments.setup_api import PlanSerializer

MOST_BYTES: Final = 900_000  # less than a request may have
LONGEST_CELL: Final = 200
NOT_OF_A_FILE: Final = {"name", "league", "new_league", "starts_at", "players", "bots", "repeats"}
IN_PLAN: Final = tuple(sorted(set(PlanSerializer().fields) - NOT_OF_A_FILE))


@dataclass(frozen=True, slots=True)
class Row:
    """An entrant as a file names one: `line` is where; `version` of a bot, `player` an id, 0 for none."""

    line: int
    name: str
    version: int = 0
    player: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """What came of a row: the player who is meant, or the problem as a sentence."""

    row: Row
    player: Player | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a file says: its entrants, and of a written season its settings."""

    rows: tuple[Row, ...]
    settings: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What an import came to: a line for each entrant; `season` if it was made, `problem` where it would be refused."""

    lines: tuple[Line, ...]
    problem: str = ""
    season: Season | None = None

    @property
    def unknown(self) -> list[Line]:
        """The lines that name nobody."""
        return [line for line in self.lines if line.problem]

    @property
    def fine(self) -> bool:
        """Whether the season can be made, or was."""
        return not self.problem and not self.unknown and bool(self.lines)


def read(text: str) -> Sheet:
    """What `text` says, JSON or CSV. Raises `LeagueError` bad_file (400), with the line where there is one."""
    if len(text.encode(errors="replace")) > MOST_BYTES:
        raise bad(_("A file has {most} kB at most.").format(most=MOST_BYTES // 1000))
    text = text.removeprefix(BYTE_ORDER_MARK)
    if "\0" in text:
        raise bad(_("This is no text. Send a CSV or JSON file in UTF-8."))
    sheet = _from_json(text) if text.lstrip().startswith(("{", "[")) else _from_csv(text)
    if not sheet.rows:
        raise bad(_("The file names no entrants."))
    if len(sheet.rows) > MOST_ENTRANTS:
        raise bad(_("A season has {most} entrants at most; the file names {n}.").format(
            most=MOST_ENTRANTS, n=len(sheet.rows)
        ))  # fmt: skip
    return sheet


def slim(text: str) -> str:
    """What of a file that can be read an import looks at: a written season without its rounds."""
    if not text.lstrip(BYTE_ORDER_MARK).lstrip().startswith("{"):
        return text
    data = json.loads(text.removeprefix(BYTE_ORDER_MARK))
    kept = {name: data[name] for name in ("format", "version", "settings", "entrants") if name in data}
    return json.dumps(kept, ensure_ascii=False, indent=1)


def bad(sentence: str) -> LeagueError:
    """What is said of a file that cannot be read."""
    return LeagueError(400, "bad_file", sentence, "text")


def _from_json(text: str) -> Sheet:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise bad(_("This is no JSON: {error}.").format(error=str(error)[:LONGEST_CELL])) from None
    settings = None
    if isinstance(data, dict):
        if data.get("format") != FORMAT or data.get("version") != VERSION:
            sentence = _("This is no season of format {format}, version {version}.")
            raise bad(sentence.format(format=FORMAT, version=VERSION))
        settings = data.get("settings")
        if settings is not None and not isinstance(settings, dict):
            raise bad(_("The settings of the season are no object."))
        data = data.get("entrants")
    if not isinstance(data, list):
        raise bad(_("The file has no list of entrants."))
    return Sheet(tuple(_json_row(number, each) for number, each in enumerate(data, start=1)), settings)


def _json_row(number: int, each: Any) -> Row:
    if isinstance(each, str):
        each = {"name": each}
    if not isinstance(each, dict) or not isinstance(each.get("name"), str):
        raise bad(_("Entrant {number} has no name.").format(number=number))
    version, player = (each.get(name) or 0 for name in ("bot_version", "player"))
    return _row(number, each["name"], version, player)


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
    return Sheet(tuple(_csv_row(number, dict(zip(head, row, strict=False))) for number, row in cells))


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
    return Row(number, name.strip(), *found)


def matched(rows: Sequence[Row]) -> list[Line]:
    """Who is meant by each row: a player by name, a person also by user name, a bot by name and version. Whom an id
    names must have that name too, since ids are another house's as often as not."""
    wanted = {row.name for row in rows} | {_bot_name(row)[0] for row in rows}
    keys = {names.key(name) for name in wanted}
    found = Player.objects.filter(
        Q(name__in=wanted) | Q(user__username__in=wanted | keys) | Q(pk__in=[row.player for row in rows if row.player])
    )
    players = list(found.select_related("user", "bot_version"))
    lines: list[Line] = []
    taken: dict[int, int] = {}
    for row in rows:
        line = _matched(row, players)
        if line.player and line.player.pk in taken:
            first = taken[line.player.pk]
            line = Line(row, problem=_("{name} stands in line {first} already.").format(name=row.name, first=first))
        elif line.player:
            taken[line.player.pk] = row.line
        lines.append(line)
    return lines


def _matched(row: Row, players: Sequence[Player]) -> Line:
    meant = [player for player in players if _is_meant(row, player)]
    by_id = [player for player in meant if player.pk == row.player]
    exact = by_id or [player for player in meant if player.name == row.name] or meant
    if len(exact) == 1:
        return Line(row, exact[0])
    if exact:
        sentence = _("Several players are called {name}: {listed}. Add a column with the version, or the player’s id.")
        listed = ", ".join(f"{player} ({player.pk})" for player in exact[:5])
        return Line(row, problem=sentence.format(name=row.name, listed=listed))
    return Line(row, problem=_("Nobody here is called {name}.").format(name=row.name))


def _is_meant(row: Row, player: Player) -> bool:
    name, version = _bot_name(row)
    if player.bot_version is not None:
        return player.name in (row.name, name) and version in (0, player.bot_version.number)
    if version and player.name != row.name:
        return False
    key = names.key(row.name)
    return player.name == row.name or (
        player.user is not None and (player.user.username in (row.name, key) or names.key(player.name) == key)
    )


def _bot_name(row: Row) -> tuple[str, int]:
    """Gannet v7 is Gannet, version 7."""
    name, _space, last = row.name.rpartition(" v")
    if not row.version and name and last.isdecimal() and len(last) < 6:
        return name, int(last)
    return row.name, row.version


def plan_of(settings: Mapping[str, Any], plan: Plan) -> Plan:
    """`plan` with the settings of a season that was written, checked as the API checks them. Raises `LeagueError`
    bad_file (400)."""
    sent = PlanSerializer(data={name: settings[name] for name in IN_PLAN if name in settings}, partial=True)
    if not sent.is_valid():
        name, wrong = next(iter(sent.errors.items()))
        raise bad(_("The setting {name}: {wrong}").format(name=name, wrong=str(wrong)[:LONGEST_CELL]))
    return replace(plan, **sent.validated_data)


def import_season(
    *, club: Club, user: User | AnonymousUser, plan: Plan, text: str, dry_run: bool, like: Season | None = None
) -> Report:
    """Make a season of `plan`, not started, with the entrants that `text` names, or say why not.

    Its settings are those of the season `like`, else those in the file, else the plan's. A dry run goes through
    everything and undoes it. Nothing is written unless every line is a player and each may enter. Raises `LeagueError`:
    not_organiser (403), bad_file (400).
    """
    setup.check_role(user, club)
    sheet = read(text)
    lines = tuple(matched(sheet.rows))
    settings = like.settings if like else sheet.settings
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
