"""Reads a chess tournament report (FIDE's TRF16) as a results table: players, rounds, and who won.

Each line `001` is a player: columns 5–8 are the number, 15–47 the name, and from column 92 each round has ten columns,
with the opponent's number, the colour and the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.importexport.table import Table, given_name_first
from tournaments.importexport.values import bad_file_error
from tournaments.seasons.settings import MAX_ENTRANTS

PLAYER_LINE: Final = re.compile(r"001 [ \d]{4}")
REPORT_LINE: Final = re.compile(r"(\d{3}|XX\w|BB\w|###|[A-Z]{3})( |$)")
FIRST_ROUND: Final = 91  # counted from 0, as all columns below
ROUND_WIDTH: Final = 10
MAX_ROUNDS: Final = 100
HEAD: Final = ("round", "table", "seat", "name", "placing", "status", "gone")
# The results of both players → their places, and who of them did not come.
RESULTS: Final[dict[str, tuple[tuple[int, int], tuple[int, ...]]]] = {
    "10": ((1, 2), ()),
    "01": ((2, 1), ()),
    "==": ((1, 1), ()),
    "WL": ((1, 2), ()),
    "LW": ((2, 1), ()),
    "DD": ((1, 1), ()),
    "+-": ((1, 2), (1,)),
    "-+": ((2, 1), (0,)),
    "--": ((1, 1), (0, 1)),
}
BYES: Final = {"U": "bye", "F": "bye", "+": "bye", "H": "away", "Z": "away", "-": "away", "": "away"}


@dataclass(frozen=True, slots=True)
class Player:
    """A player of a report: the line, the name, and of each round (opponent or 0, colour, result)."""

    line: int
    name: str
    rounds: tuple[tuple[int, str, str], ...]


def is_report(text: str) -> bool:
    """Return whether a text is a tournament report: every line begins with a code, and some are players."""
    lines = [line for line in text.splitlines() if line.strip()]
    return all(map(REPORT_LINE.match, lines)) and any(map(PLAYER_LINE.match, lines))


def read_report(text: str) -> Table:
    """Return the rows of a report's games, byes and absences; a list of names if nothing was played.

    Raises `DomainError` bad_file (400).
    """
    players = _players(text)
    if not any(opponent for player in players.values() for opponent, *_rest in player.rounds):
        return Table(("name",), tuple((player.line, [player.name]) for player in players.values()))
    rounds = max(len(player.rounds) for player in players.values())
    if rounds > MAX_ROUNDS:
        raise bad_file_error(_("A report can have at most {most} rounds.").format(most=MAX_ROUNDS))
    rows = [row for number in range(rounds) for row in _round_rows(players, number)]
    halves = sum(not entry[0] and entry[2] == "H" for player in players.values() for entry in player.rounds)
    one = "{n} half-point bye was read as an absence; the settings say what that is worth."
    more = "{n} half-point byes were read as absences; the settings say what these are worth."
    return Table(HEAD, tuple(rows), (ngettext(one, more, halves).format(n=halves),) if halves else ())


def _players(text: str) -> dict[int, Player]:
    """Return number → player. Raises `DomainError` bad_file (400)."""
    players: dict[int, Player] = {}
    names: dict[str, int] = {}
    for line, content in enumerate(text.splitlines(), start=1):
        if PLAYER_LINE.match(content):
            number, player = _player(line, content)
            if number in players or player.name in names:
                sentence = _("Line {line}: the number or the name of {name} is also in line {other}.")
                other = players[number].line if number in players else names[player.name]
                raise bad_file_error(sentence.format(line=line, name=player.name, other=other))
            players[number], names[player.name] = player, line
    if len(players) > MAX_ENTRANTS:
        sentence = _("A season can have at most {most} entrants; the file has {n}.")
        raise bad_file_error(sentence.format(most=MAX_ENTRANTS, n=len(players)))
    return players


def _player(number: int, line: str) -> tuple[int, Player]:
    rank, name = line[4:8].strip(), given_name_first(line[14:47])
    if not rank.isdecimal() or not name:
        raise bad_file_error(
            _("Line {number}: a player’s line needs a number in columns 5–8 and a name from column 15.").format(
                number=number
            )
        )
    parts = range(FIRST_ROUND, len(line.rstrip()), ROUND_WIDTH)
    return int(rank), Player(number, name, tuple(_round_of(number, line[at : at + ROUND_WIDTH]) for at in parts))


def _round_of(number: int, part: str) -> tuple[int, str, str]:
    opponent, colour, result = part[:4].strip(), part[5:6].strip(), part[7:8].strip().upper()
    if opponent and not opponent.isdecimal():
        raise bad_file_error(
            _("Line {number}: “{text}” is not the number of an opponent.").format(number=number, text=opponent)
        )
    return int(opponent or 0), colour, result


def _round_rows(players: dict[int, Player], number: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a round, in the order of the players."""
    table, seen = 0, set()
    for rank, player in players.items():
        opponent, colour, result = player.rounds[number] if number < len(player.rounds) else (0, "", "")
        if not opponent:
            yield player.line, [str(number + 1), "", "", player.name, "", BYES.get(result, "away"), ""]
        elif rank not in seen:
            table += 1
            seen |= {rank, opponent}
            pair = (rank, opponent) if colour != "b" else (opponent, rank)
            yield from _game_rows(players, number, table, pair)


def _game_rows(
    players: dict[int, Player], number: int, table: int, pair: tuple[int, int]
) -> Iterator[tuple[int, list[str]]]:
    entries = [_entry(players, number, rank) for rank in pair]
    first = next(players[rank] for rank in pair if rank in players)
    if [opponent for opponent, _colour, _result in entries] != [pair[1], pair[0]]:
        sentence = _("Line {line}: in round {round}, {name} has opponent number {number}, who has another opponent.")
        other = next(rank for rank in pair if players.get(rank) is not first)
        raise bad_file_error(sentence.format(line=first.line, round=number + 1, name=first.name, number=other))
    results = "".join(result or " " for _opponent, _colour, result in entries)
    if results.strip() and results not in RESULTS:
        one, two = (players[rank] for rank in pair)
        sentence = _("Line {line}: in round {round}, the results “{one}” of {name} and “{two}” of {other} do not fit.")
        raise bad_file_error(
            sentence.format(
                line=one.line, round=number + 1, one=results[0], name=one.name, two=results[1], other=two.name
            )
        )
    status = "finished" if results.strip() else "playing"
    places, absent = RESULTS.get(results, (("", ""), ()))
    for seat, rank in enumerate(pair):
        gone = "absent" if seat in absent else ""
        player = players[rank]
        yield player.line, [str(number + 1), str(table), str(seat), player.name, str(places[seat]), status, gone]


def _entry(players: dict[int, Player], number: int, rank: int) -> tuple[int, str, str]:
    player = players.get(rank)
    return player.rounds[number] if player and number < len(player.rounds) else (0, "", "")
