"""Exports a whole season as JSON or as tables: entrants, rounds with pairings, results, standings.

The export shows what the pages show: sealed and delayed games have no result yet. Names are those of the day of the
export. Results come from the season's stream, so that standings computed from the file equal the season's.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import Prefetch
from rest_framework.utils.encoders import JSONEncoder

from games.common import clock
from games.models import Game
from games.visibility import observe
from scorebook_games.presentation.coded_text import Sentence
from tournaments.core.results import seating_of_game
from tournaments.importexport import season_file as file
from tournaments.matches.rows import matches_with_games
from tournaments.seasons.fold import DivisionState, MatchState, SeasonFold
from tournaments.seasons.models import (
    PLAYING,
    Bye,
    Division,
    Entrant,
    ImportedGame,
    Match,
    MatchGame,
    Round,
    Season,
    TeamMember,
)
from tournaments.seasons.stream import fold_season
from tournaments.standings.models import Standing

BYTE_ORDER_MARK: Final = "\ufeff"  # by which spreadsheets know UTF-8
FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\r")  # what a cell begins with that a spreadsheet would calculate
ZIP_FORMAT, JSON_FORMAT = "zip", "json"


def season_data(season: Season) -> dict[str, Any]:
    """Return the season as JSON data; docs/reference/season-file.md describes it."""
    folded = fold_season(season)
    whole = file.SeasonFile(
        format=file.FILE_FORMAT,
        version=file.FILE_VERSION,
        club=season.league.club.name,
        zone=season.league.club.zone,
        league=season.league.name,
        season=season.name,
        status=season.status,
        starts_at=season.starts_at,
        finished_at=season.finished_at,
        imported_at=season.imported_at,
        written_at=clock.now(),
        paused_at=season.paused_at,
        delay_seconds=season.delay_seconds,
        abandoned=folded.abandoned,
        settings=season.settings,
        divisions=[_division(division, folded) for division in season.divisions.all()],
        moved=[list(item) for item in folded.moved.items()],
        entrants=[_entrant(entrant, folded) for entrant in _shown_entrants(season)],
        rounds=list(_rounds(season, folded)),
        standings=[_standing(standing) for standing in _shown_standings(season)],
    )
    data: dict[str, Any] = file.file_data(whole)
    return data


def as_json(season: Season) -> bytes:
    """Return the season as a JSON file."""
    return json.dumps(season_data(season), cls=JSONEncoder, ensure_ascii=False, separators=(",", ":")).encode()


def as_zip(season: Season) -> bytes:
    """Return the season as a ZIP file with a CSV file for each of `CSV_TABLES`."""
    data = season_data(season)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in CSV_TABLES:
            archive.writestr(f"{name}.csv", as_csv(data, name))
    return packed.getvalue()


def as_csv(data: dict[str, Any], table: str) -> bytes:
    """Return one of `CSV_TABLES` of a season's data."""
    written = io.StringIO()
    columns, rows = CSV_TABLES[table]
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows(data))
    return (BYTE_ORDER_MARK + written.getvalue()).encode()


def _cell(value: Any) -> Any:
    """Return a cell. Text that a spreadsheet would take for a formula is marked as text."""
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_PREFIXES) else value


def _shown_entrants(season: Season) -> Iterable[Entrant]:
    """Return the entrants and waiting lists, as everybody sees them: nobody who is invited, asks, or has left before
    the start."""
    shown = (*PLAYING, Entrant.Status.WAITING, Entrant.Status.ALTERNATE)
    rows = Entrant.objects.filter(season=season, status__in=shown).select_related("player__bot_version", "division")
    members = TeamMember.objects.select_related("player__bot_version").order_by("order", "pk")
    return rows.prefetch_related(Prefetch("members", members)).order_by("division__number", "number")


def _division(division: Division, folded: SeasonFold) -> file.FileDivision:
    division_state = folded.divisions.get(division.number, DivisionState(division.number))
    lots = folded.lots(division_state) if folded.seed is not None and division_state.above is None else {}
    return file.FileDivision(
        number=division.number,
        name=division.name,
        seeds=list(division_state.seeds),
        lots=sorted(lots, key=lambda entrant: lots[entrant]),
        above=division_state.above,
        pairs=[list(pair) for pair in division_state.pairs],
        refusals=[file.FileRefusal(**asdict(refusal)) for refusal in division_state.refusals],
        places=None if division_state.places is None else [list(item) for item in division_state.places.items()],
    )


def _entrant(entrant: Entrant, folded: SeasonFold) -> file.FileEntrant:
    player, entrant_state = entrant.player, folded.entrants[entrant.number]
    gone = entrant_state.gone
    return file.FileEntrant(
        number=entrant.number,
        division=entrant.division.number,
        player=player.pk,
        name=player.name,
        bot=player.is_bot,
        bot_version=player.bot_version.number if player.bot_version else None,
        status=entrant.status,
        joined_at=entrant.joined_at,
        since=entrant.since,
        away=entrant.away,
        promised=entrant.promised,
        carried=entrant_state.carried,
        withdrawn=file.FileWithdrawal(why=gone["why"], played=gone["played"], of=gone["of"]) if gone else None,
        members=[
            file.FileMember(
                player=row.player_id,
                name=row.player.name,
                bot=row.player.is_bot,
                bot_version=row.player.bot_version.number if row.player.bot_version else None,
                order=row.order,
                captain=row.is_captain,
            )
            for row in entrant.members.all()
        ],
    )


def _load_rounds(season: Season) -> Iterator[tuple[Round, list[Bye], list[Match]]]:
    """Return every round with its byes and matches, the first division's first. The number of queries does not depend
    on their number."""
    byes: dict[int, list[Bye]] = {}
    for bye in Bye.objects.filter(round__division__season=season).select_related("entrant").order_by("pk"):
        byes.setdefault(bye.round_id, []).append(bye)
    played: dict[int, list[Match]] = {}
    for match in matches_with_games().filter(round__division__season=season).order_by("round", "table"):
        played.setdefault(match.round_id, []).append(match)
    for round in (
        Round.objects.filter(division__season=season).select_related("division").order_by("division", "number")
    ):
        yield round, byes.get(round.pk, []), played.get(round.pk, [])


def _rounds(season: Season, folded: SeasonFold) -> Iterator[file.FileRound]:
    deals: dict[int, int] = {}
    for round, byes, played in _load_rounds(season):
        yield file.FileRound(
            division=round.division.number,
            number=round.number,
            status=round.status,
            opened_at=round.opened_at,
            closes_at=round.closes_at,
            closed_at=round.closed_at,
            byes=[_bye(bye) for bye in byes],
            matches=[_match(match, folded, deals) for match in played],
        )


def _bye(bye: Bye) -> file.FileBye:
    return file.FileBye(
        entrant=bye.entrant.number,
        reason=bye.reason_text,
        reasons=[Sentence(*each) for each in bye.reason],
        kind=bye.kind,
        missing=bye.missing.number if bye.missing else None,
    )


def _match(match: Match, folded: SeasonFold, deals: dict[int, int]) -> file.FileMatch:
    sides = list(match.entrants.all())
    numbers = {side.entrant.player_id: side.entrant.number for side in sides}
    match_state, public = folded.match(match.pk), _is_public(match)
    by_teams = any(side.entrant.player.is_team for side in sides)  # whose players sit for them, game by game
    teams = [side.entrant.number for side in sides] if by_teams else []
    games = [_game(game, numbers, teams, match_state, deals) for game in match.games.all()]
    games += [_empty_board(number, match_state) for number in match_state.empty] if match_state else []
    games += [_imported_game(game, deals) for game in match.imported.all() if game.result["seats"]]
    return file.FileMatch(
        id=match.pk,
        table=match.table,
        slot=match.slot,
        reason=match.reason_text,
        reasons=[Sentence(*each) for each in match.reason],
        begins_at=match.begins_at,
        timing=match.timing,
        finished_at=match.finished_at if public else None,
        entrants=[side.entrant.number for side in sides],
        points=[side.points for side in sides] if match.finished_at and public else None,
        lineups=[
            file.FileLineup(entrant=team, players=[player or 0 for player in lineup.players], how=lineup.how)
            for team, lineup in (match_state.lineups if match_state else {}).items()
        ],
        games=sorted(games, key=lambda game: (game.number, game.replay)),
    )


def _empty_board(number: int, match: MatchState) -> file.FileGame:
    """Return a game that was not played because a team had nobody for it."""
    result = match.records.get(number, match.empty[number])
    return file.FileGame(
        number=number,
        replay=0,
        id=None,
        status=Game.Status.FINISHED.value,
        seats=result["seats"],
        ruling=file.ADJUDICATED,
        **_counted(result),
        deal=None,
        played=None,
        finished_at=None,
        log=None,
    )


def _is_public(match: Match) -> bool:
    return all(observe.is_result_public(played.game) for played in match.games.all())


def _game(
    played: MatchGame, numbers: dict[int, int], teams: list[int], match: MatchState | None, deals: dict[int, int]
) -> file.FileGame:
    """Return a game as it counts, by the season's stream if it is recorded there. After a ruling, `played` has the
    game's own result. `numbers`: player → entrant; `teams`: those of the match, [] if players are the entrants."""
    game = played.game
    public = observe.is_result_public(game)
    outcome = _outcome(game) if public else {}
    counts = _counted_result(played, match) or ({} if played.ruling else outcome)
    return file.FileGame(
        number=played.number,
        replay=played.replay,
        id=game.public_id,
        status=game.status if public else Game.Status.PLAYING.value,
        seats=counts.get("seats")
        or list(seating_of_game(teams, played.number) if teams else ())
        or [numbers.get(seat.player_id, 0) for seat in game.seats.all()],
        ruling=played.ruling or None,
        **_counted(counts),
        deal=_deal(counts.get("deal"), deals),
        played=file.FileResult(**outcome) if played.ruling and outcome.get("placings") else None,
        finished_at=game.finished_at if public else None,
        log=f"/api/v1/games/{game.public_id}/export/?as=json",
    )


def _counted(counts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: counts.get(name) for name in file.RESULT_FIELDS}


def _counted_result(played: MatchGame, match: MatchState | None) -> dict[str, Any] | None:
    """Return the result that the stream counts for a game, or None."""
    if match is None or match.games.get(played.number) != played.game_id:
        return None
    return match.records.get(played.number)


def _outcome(game: Game) -> dict[str, Any]:
    """Return the own result of a finished game."""
    outcome = game.outcome or {}
    left = [seat.seat for seat in game.seats.all() if seat.left]
    result = {name: outcome.get(name) or None for name in ("scores", "placings", "termination")}
    return {**result, "left": left}


def _imported_game(game: ImportedGame, deals: dict[int, int]) -> file.FileGame:
    """Return an imported game as its file had it, without an id and a log."""
    rulings, result = ImportedGame.Ruling, game.result
    by_itself = game.ruling in (rulings.PLAYED, rulings.ABORTED)
    counts = result if by_itself else game.counts or {}
    finished = result["finished"]
    aborted = game.ruling != rulings.PLAYED and not result["played"]
    return file.FileGame(
        number=game.number,
        replay=game.replay,
        id=None,
        status=(Game.Status.ABORTED if aborted else Game.Status.FINISHED).value,
        seats=result["seats"],
        ruling=None if by_itself else game.ruling,
        **_counted(counts),
        deal=_deal(counts.get("deal"), deals),
        played=result["played"],
        finished_at=finished and datetime.fromtimestamp(finished, UTC),
        log=None,
    )


def _deal(deal: int | None, deals: dict[int, int]) -> int | None:
    """Return the number of a deal in this file: 1 … in the order of the games; None if games share no deals."""
    return None if deal is None else deals.setdefault(deal, len(deals) + 1)


def _shown_standings(season: Season) -> Iterable[Standing]:
    rows = Standing.objects.filter(division__season=season).select_related("entrant", "division")
    return rows.order_by("division__number", "position")


def _standing(standing: Standing) -> file.FileStanding:
    return file.FileStanding(
        division=standing.division.number,
        place=standing.place,
        entrant=standing.entrant.number,
        points=standing.points,
    )


def _entrant_rows(data: dict[str, Any]) -> Iterator[Sequence[Any]]:
    for each in data["entrants"]:
        kind = "team" if each["members"] else "bot" if each["bot"] else "person"
        yield each["division"], each["number"], each["name"], each["bot_version"], kind, each["status"], each["player"]


def _pairing_rows(data: dict[str, Any]) -> Iterator[Sequence[Any]]:
    names = _entrant_names(data)
    for round in data["rounds"]:
        for match in round["matches"]:
            met = " – ".join(names[number] for number in match["entrants"])
            yield round["division"], round["number"], match["table"], met, match["begins_at"], match["reason"]
        for bye in round["byes"]:
            yield round["division"], round["number"], None, names[bye["entrant"]], None, bye["reason"]


def _result_rows(data: dict[str, Any]) -> Iterator[Sequence[Any]]:
    """Return a row for each seat, and one for each entrant without a match."""
    names = _entrant_names(data)
    for round in data["rounds"]:
        at = (round["division"], round["number"])
        for match in round["matches"]:
            for game in match["games"]:
                place = (*at, match["table"], game["number"], game["id"])
                for row in _seat_rows(place, game, names):
                    yield (*row, match["slot"], None)
        for bye in round["byes"]:
            missing = names.get(bye["missing"])
            yield (*at, *[None] * 4, names[bye["entrant"]], None, None, bye["kind"], *[None] * 7, missing)


def _seat_rows(at: Sequence[Any], game: dict[str, Any], names: dict[int, str]) -> Iterator[Sequence[Any]]:
    for seat, number in enumerate(game["seats"]):
        result = [game[part][seat] if game[part] else None for part in ("scores", "placings")]
        absent, left = seat in (game["absent"] or ()), seat in (game["left"] or ())
        gone = "absent" if absent else "left" if left else None
        ended = (game["status"], game["termination"], game["ruling"], gone, game["deal"], game["replay"])
        yield *at, seat, names.get(number, ""), *result, *ended, game["finished_at"]


def _standing_rows(data: dict[str, Any]) -> Iterator[Sequence[Any]]:
    names = _entrant_names(data)
    for row in data["standings"]:
        yield row["division"], row["place"], names[row["entrant"]], row["points"]


def _entrant_names(data: dict[str, Any]) -> dict[int, str]:
    return {
        each["number"]: f"{each['name']} v{each['bot_version']}" if each["bot"] else each["name"]
        for each in data["entrants"]
    }


TableRows = Callable[[dict[str, Any]], Iterator[Sequence[Any]]]
CSV_TABLES: Final[dict[str, tuple[Sequence[str], TableRows]]] = {
    "entrants": (("division", "number", "name", "version", "kind", "status", "player"), _entrant_rows),
    "pairings": (("division", "round", "table", "entrants", "begins_at", "reason"), _pairing_rows),
    "results": (
        (
            *("division", "round", "table", "game", "id", "seat", "name", "score", "placing", "status", "termination"),
            *("ruling", "gone", "deal", "replay", "finished_at", "slot", "missing"),
        ),
        _result_rows,
    ),
    "standings": (("division", "place", "name", "points"), _standing_rows),
}
