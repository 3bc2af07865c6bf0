"""The entrants that a file names, matched with players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from games.accounts import names
from games.models import Player


@dataclass(frozen=True, slots=True)
class FileEntrant:
    """An entrant in a file: the `line`, the name, the `version` of a bot, and the id of a `player` (0 for none). `bot`:
    the file says that it is a bot."""

    line: int
    name: str
    version: int = 0
    player: int = 0
    bot: bool = False


@dataclass(frozen=True, slots=True)
class MatchedEntrant:
    """The match for a row: the player, or the name of a player to be `made`, or the problem as a sentence."""

    row: FileEntrant
    player: Player | None = None
    problem: str = ""
    made: str = ""


def match_entrants(rows: Sequence[FileEntrant]) -> list[MatchedEntrant]:
    """Match each row with a player: a person by player name or user name, a bot by name and version.

    A player found by id must also have the name, because ids often come from another platform.
    """
    players = list(find_candidates(rows))
    return mark_duplicates(_match_row(row, players) for row in rows)


def mark_duplicates(found: Iterable[MatchedEntrant]) -> list[MatchedEntrant]:
    """Return the rows; if two mean the same player, the second one gets a problem."""
    lines: list[MatchedEntrant] = []
    taken: dict[int, int] = {}
    for line in found:
        row = line.row
        if line.player and line.player.pk in taken:
            first = taken[line.player.pk]
            line = MatchedEntrant(
                row, problem=_("{name} is already in line {first}.").format(name=row.name, first=first)
            )
        elif line.player:
            taken[line.player.pk] = row.line
        lines.append(line)
    return lines


def find_candidates(rows: Sequence[FileEntrant]) -> QuerySet[Player]:
    """Return all players whom any of the rows could mean."""
    wanted = {row.name for row in rows} | {split_bot_name(row)[0] for row in rows}
    keys = {names.name_key(name) for name in wanted}
    ids = [row.player for row in rows if row.player]
    found = Player.objects.filter(Q(name__in=wanted) | Q(user__username__in=wanted | keys) | Q(pk__in=ids))
    return found.filter(from_file=False, is_team=False).select_related("user", "bot_version").distinct()


def choose_players(row: FileEntrant, players: Sequence[Player]) -> list[Player]:
    """Return those of `players` whom a row means: one, if it says enough."""
    meant = [player for player in players if _is_meant(row, player)]
    by_id = [player for player in meant if player.pk == row.player]
    return by_id or [player for player in meant if player.name == row.name] or meant


def _match_row(row: FileEntrant, players: Sequence[Player]) -> MatchedEntrant:
    return match_among(row, players) or MatchedEntrant(
        row, problem=_("There is no player {name}.").format(name=row.name)
    )


def match_among(row: FileEntrant, players: Sequence[Player]) -> MatchedEntrant | None:
    """Return the match of a row that fits one or several of `players`; None if it fits none."""
    found = choose_players(row, players)
    if len(found) == 1:
        return MatchedEntrant(row, found[0])
    if found:
        sentence = _(
            "Several players have the name {name}: {listed}. Add a column with the version or the player’s id."
        )
        listed = ", ".join(f"{player} ({player.pk})" for player in found[:5])
        return MatchedEntrant(row, problem=sentence.format(name=row.name, listed=listed))
    return None


def _is_meant(row: FileEntrant, player: Player) -> bool:
    name, version = split_bot_name(row)
    if player.bot_version is not None:
        return player.name in (row.name, name) and version in (0, player.bot_version.number)
    if version and player.name != row.name:
        return False
    key = names.name_key(row.name)
    return player.name == row.name or (
        player.user is not None and (player.user.username in (row.name, key) or names.name_key(player.name) == key)
    )


def split_bot_name(row: FileEntrant) -> tuple[str, int]:
    """Split “Gannet v7” into the name Gannet and version 7."""
    name, _space, last = row.name.rpartition(" v")
    if not row.version and name and last.isdecimal() and len(last) < 6:
        return name, int(last)
    return row.name, row.version
