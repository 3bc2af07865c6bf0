"""A whole season as JSON or as tables: entrants, rounds with their pairings, results, standings.

It says what its pages say: a sealed or delayed game has no result yet. Names are those of the day of writing.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from rest_framework.utils.encoders import JSONEncoder

from games import observe
from games.models import Game
from tournaments.lines import matches
from tournaments.models import Bye, Entrant, Match, MatchGame, Round, Season, Standing

FORMAT: Final = "scorebook-season"
VERSION: Final = 1
BYTE_ORDER_MARK: Final = "\ufeff"  # by which spreadsheets know UTF-8
SPREADSHEET: Final = ("=", "+", "-", "@", "\t", "\r")  # what a cell begins with that a spreadsheet would calculate
ZIP, JSON = "zip", "json"


def data_of(season: Season) -> dict[str, Any]:
    """The season as JSON data (docs/leagues.md has its shape)."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "club": season.league.club.name,
        "zone": season.league.club.zone,
        "league": season.league.name,
        "season": season.name,
        "status": season.status,
        "starts_at": season.starts_at,
        "finished_at": season.finished_at,
        "settings": season.settings,
        "divisions": [{"number": each.number, "name": each.name} for each in season.divisions.all()],
        "entrants": [_entrant(each) for each in _entrants(season)],
        "rounds": [_round(each) for each in _rounds(season)],
        "standings": [_standing(each) for each in _standings(season)],
    }


def as_json(season: Season) -> bytes:
    """The season as a JSON file."""
    return json.dumps(data_of(season), cls=JSONEncoder, ensure_ascii=False, indent=1).encode()


def as_zip(season: Season) -> bytes:
    """The season as a ZIP file with a CSV file for each of `TABLES`."""
    data = data_of(season)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name in TABLES:
            file.writestr(f"{name}.csv", as_csv(data, name))
    return packed.getvalue()


def as_csv(data: dict[str, Any], table: str) -> bytes:
    """One of `TABLES` of a season's data."""
    written = io.StringIO()
    columns, rows = TABLES[table]
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows(data))
    return (BYTE_ORDER_MARK + written.getvalue()).encode()


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula is marked as text."""
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(SPREADSHEET) else value


def _entrants(season: Season) -> Iterable[Entrant]:
    rows = Entrant.objects.filter(season=season).select_related("player__bot_version", "division")
    return rows.order_by("division__number", "number")


def _entrant(entrant: Entrant) -> dict[str, Any]:
    player = entrant.player
    return {
        "number": entrant.number,
        "division": entrant.division.number,
        "player": player.pk,
        "name": player.name,
        "bot": player.is_bot,
        "bot_version": player.bot_version.number if player.bot_version else None,
        "status": entrant.status,
        "joined_at": entrant.joined_at,
    }


def _rounds(season: Season) -> Iterator[tuple[Round, list[Bye], list[Match]]]:
    """Every round with its byes and matches, the first division's first: as many queries for one as for a hundred."""
    byes: dict[int, list[Bye]] = {}
    for bye in Bye.objects.filter(round__division__season=season).select_related("entrant").order_by("pk"):
        byes.setdefault(bye.round_id, []).append(bye)
    played: dict[int, list[Match]] = {}
    for match in matches().filter(round__division__season=season).order_by("round", "table"):
        played.setdefault(match.round_id, []).append(match)
    for round in (
        Round.objects.filter(division__season=season).select_related("division").order_by("division", "number")
    ):
        yield round, byes.get(round.pk, []), played.get(round.pk, [])


def _round(told: tuple[Round, list[Bye], list[Match]]) -> dict[str, Any]:
    round, byes, played = told
    return {
        "division": round.division.number,
        "number": round.number,
        "status": round.status,
        "opened_at": round.opened_at,
        "closes_at": round.closes_at,
        "closed_at": round.closed_at,
        "byes": [{"entrant": bye.entrant.number, "reason": bye.reason} for bye in byes],
        "matches": [_match(match) for match in played],
    }


def _match(match: Match) -> dict[str, Any]:
    sides = list(match.entrants.all())
    numbers = {side.entrant.player_id: side.entrant.number for side in sides}
    return {
        "id": match.pk,
        "table": match.table,
        "reason": match.reason,
        "begins_at": match.begins_at,
        "entrants": [side.entrant.number for side in sides],
        "points": [side.points for side in sides] if match.finished_at and _all_told(match) else None,
        "games": [_game(game, numbers) for game in match.games.all()],
    }


def _all_told(match: Match) -> bool:
    return all(observe.is_told(played.game) for played in match.games.all())


def _game(played: MatchGame, numbers: dict[int, int]) -> dict[str, Any]:
    game = played.game
    told = observe.is_told(game)
    seats = list(game.seats.all())
    outcome = (game.outcome or {}) if told else {}
    counts = (played.counts or {}) if told or played.ruling else {}
    return {
        "number": played.number,
        "replay": played.replay,
        "id": game.public_id,
        "status": game.status if told else Game.Status.PLAYING.value,
        "seats": [numbers.get(seat.player_id) for seat in seats],
        "ruling": played.ruling or None,
        "scores": counts.get("scores"),
        "placings": counts.get("placings"),
        "termination": outcome.get("termination"),
        "left": [seat.seat for seat in seats if seat.left] if told else None,
        "finished_at": game.finished_at if told else None,
        "log": f"/api/v1/games/{game.public_id}/export/?as=json",
    }


def _standings(season: Season) -> Iterable[Standing]:
    rows = Standing.objects.filter(entrant__division__season=season).select_related("entrant__division")
    return rows.order_by("entrant__division__number", "place", "entrant__number")


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "division": standing.entrant.division.number,
        "place": standing.place,
        "entrant": standing.entrant.number,
        "points": standing.points,
    }


def _entrant_rows(data: dict[str, Any]) -> Iterator[Sequence[Any]]:
    for each in data["entrants"]:
        kind = "bot" if each["bot"] else "person"
        yield each["division"], each["number"], each["name"], each["bot_version"], kind, each["status"], each["player"]


def _pairing_rows(data: dict[str, Any]) -> Iterator[Sequence[Any]]:
    names = _names(data)
    for round in data["rounds"]:
        for match in round["matches"]:
            met = " – ".join(names[number] for number in match["entrants"])
            yield round["division"], round["number"], match["table"], met, match["begins_at"], match["reason"]
        for bye in round["byes"]:
            yield round["division"], round["number"], None, names[bye["entrant"]], None, bye["reason"]


def _result_rows(data: dict[str, Any]) -> Iterator[Sequence[Any]]:
    """A row for each seat."""
    names = _names(data)
    for round in data["rounds"]:
        for match in round["matches"]:
            for game in match["games"]:
                place = (round["division"], round["number"], match["table"], game["number"], game["id"])
                for seat, number in enumerate(game["seats"]):
                    told = [game[part][seat] if game[part] else None for part in ("scores", "placings")]
                    yield *place, seat, names.get(number, ""), *told, game["status"], game["termination"]


def _standing_rows(data: dict[str, Any]) -> Iterator[Sequence[Any]]:
    names = _names(data)
    for row in data["standings"]:
        yield row["division"], row["place"], names[row["entrant"]], row["points"]


def _names(data: dict[str, Any]) -> dict[int, str]:
    return {
        each["number"]: f"{each['name']} v{each['bot_version']}" if each["bot"] else each["name"]
        for each in data["entrants"]
    }


Rows = Callable[[dict[str, Any]], Iterator[Sequence[Any]]]
TABLES: Final[dict[str, tuple[Sequence[str], Rows]]] = {
    "entrants": (("division", "number", "name", "version", "kind", "status", "player"), _entrant_rows),
    "pairings": (("division", "round", "table", "entrants", "begins_at", "reason"), _pairing_rows),
    "results": (
        ("division", "round", "table", "game", "id", "seat", "name", "score", "placing", "status", "termination"),
        _result_rows,
    ),
    "standings": (("division", "place", "name", "points"), _standing_rows),
}
