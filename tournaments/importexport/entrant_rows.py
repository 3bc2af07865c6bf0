"""The entrants that a file names, and who is meant by each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from games.accounts import names
from games.models import Player


@dataclass(frozen=True, slots=True)
class Row:
    """An entrant as a file names one: `line` is where; `version` of a bot, `player` an id, 0 for none; `bot`: the file
    says that it is one."""

    line: int
    name: str
    version: int = 0
    player: int = 0
    bot: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """What came of a row: the player who is meant, or the name of one to be `made`, or the problem as a sentence."""

    row: Row
    player: Player | None = None
    problem: str = ""
    made: str = ""


def matched(rows: Sequence[Row]) -> list[Line]:
    """Who is meant by each row: a player by name, a person also by user name, a bot by name and version. Whom an id
    names must have that name too, since ids are another house's as often as not."""
    players = list(candidates(rows))
    return without_twins(_matched(row, players) for row in rows)


def without_twins(found: Iterable[Line]) -> list[Line]:
    """The lines; of two that mean the same player the second one is wrong."""
    lines: list[Line] = []
    taken: dict[int, int] = {}
    for line in found:
        row = line.row
        if line.player and line.player.pk in taken:
            first = taken[line.player.pk]
            line = Line(row, problem=_("{name} stands in line {first} already.").format(name=row.name, first=first))
        elif line.player:
            taken[line.player.pk] = row.line
        lines.append(line)
    return lines


def candidates(rows: Sequence[Row]) -> QuerySet[Player]:
    """All who could be meant by any of the rows; never a name out of another file."""
    wanted = {row.name for row in rows} | {bot_name(row)[0] for row in rows}
    keys = {names.key(name) for name in wanted}
    ids = [row.player for row in rows if row.player]
    found = Player.objects.filter(Q(name__in=wanted) | Q(user__username__in=wanted | keys) | Q(pk__in=ids))
    return found.filter(from_file=False).select_related("user", "bot_version").distinct()


def chosen(row: Row, players: Sequence[Player]) -> list[Player]:
    """Those of `players` who are meant by a row: one, if it says enough."""
    meant = [player for player in players if _is_meant(row, player)]
    by_id = [player for player in meant if player.pk == row.player]
    return by_id or [player for player in meant if player.name == row.name] or meant


def _matched(row: Row, players: Sequence[Player]) -> Line:
    return found_in(row, players) or Line(row, problem=_("Nobody here is called {name}.").format(name=row.name))


def found_in(row: Row, players: Sequence[Player]) -> Line | None:
    """The line of a row that means one or several of `players`; None where it means none."""
    found = chosen(row, players)
    if len(found) == 1:
        return Line(row, found[0])
    if found:
        sentence = _("Several players are called {name}: {listed}. Add a column with the version, or the player’s id.")
        listed = ", ".join(f"{player} ({player.pk})" for player in found[:5])
        return Line(row, problem=sentence.format(name=row.name, listed=listed))
    return None


def _is_meant(row: Row, player: Player) -> bool:
    name, version = bot_name(row)
    if player.bot_version is not None:
        return player.name in (row.name, name) and version in (0, player.bot_version.number)
    if version and player.name != row.name:
        return False
    key = names.key(row.name)
    return player.name == row.name or (
        player.user is not None and (player.user.username in (row.name, key) or names.key(player.name) == key)
    )


def bot_name(row: Row) -> tuple[str, int]:
    """Gannet v7 is Gannet, version 7."""
    name, _space, last = row.name.rpartition(" v")
    if not row.version and name and last.isdecimal() and len(last) < 6:
        return name, int(last)
    return row.name, row.version
