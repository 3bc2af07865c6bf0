"""The rows of a season as they follow from its state: one function from the fold to the rows of each table. Pure.

A row is its columns by name; its key names it within the season. Where a column points to another row, it has that
row's key. With a `part`, only the rows of that part of the season are made. `tournaments.seasons.row_writer` compares
and writes them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from tournaments.formats.reasons import IMPORTED
from tournaments.scoring.points import PointsSystem, json_number, score_match
from tournaments.seasons.fold import DivisionState, MatchState, RoundState, SeasonFold, Touched

Key = Hashable
Columns = dict[str, Any]
Rows = dict[Key, Columns]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A column that no event says. A row keeps what it has; a new row gets `fallback`."""

    fallback: Any


SETTINGS_COLUMNS = ("kind", "options", "terms", "format", "table_size", "games_a_match", "points", "tie_breaks")


def season_columns(state: SeasonFold, part: Touched | None = None) -> Columns:
    """Return the columns of the season's own row. `settings` is as in the log: without names."""
    settings = {name: state.settings[name] for name in SETTINGS_COLUMNS} | {"settings": state.settings}
    return {
        **(settings if part is None or part.settings else {}),
        "pool": state.pool or "",
        "status": state.status(),
        "delay_seconds": state.delay,
        "paused_at": _known(state, state.paused_at),
        "finished_at": _known(state, state.finished_at),
        "imported_at": state.imported_at,
    }


def division_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return number → division: those of the settings, and the play-offs."""
    main = range(1, len(state.settings["divisions"]) + 1)
    playoffs = [number for number, division in state.divisions.items() if division.above is not None]
    return {
        number: _division(state, state.division(number))
        for number in (*main, *playoffs)
        if part is None or number in part.divisions
    }


def _division(state: SeasonFold, division_state: DivisionState) -> Columns:
    return {
        "number": division_state.number,
        "rounds_opened": len(division_state.rounds),
        "finished_at": _known(state, division_state.finished_at) if division_state.places is not None else None,
        "is_playoff": division_state.above is not None,
        "on_hold": division_state.on_hold,
    }


def entrant_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return number → entrant."""
    return {
        each.number: {
            "number": each.number,
            "division": each.division,
            "player_id": each.player,
            "status": each.status,
            "joined_at": _known(state, each.joined_at),
            "checked_in_at": each.checked_in_at,
            "away": list(each.away),
            "promised": list(each.promised),
            "called": list(each.called),
            "since": each.since,
        }
        for each in (state.entrants.values() if part is None else map(state.entrants.__getitem__, part.entrants))
    }


def team_member_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return (entrant, player) → player of a team, with those who have left it."""
    found = state.entrants.values() if part is None else map(state.entrants.__getitem__, part.entrants)
    return {
        (team.number, player): {
            "entrant": team.number,
            "player_id": player,
            "order": team.members.index(player) + 1 if player in team.members else None,
            "is_captain": player == team.captain and player in team.members,
        }
        for team in found
        for player in (*team.members, *team.former)
    }


def round_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return `RoundKey` → round, with the undone ones."""
    return {
        past.key: {
            "division": past.division,
            "number": past.number,
            "status": "undone" if past.undone else "closed" if past.closed else "open",
            "opened_at": _known(state, past.opened_at),
            "closes_at": moment(past.closes),
            "overdue_at": past.overdue_at,
            "closed_at": _known(state, past.closed_at),
        }
        for past in _rounds(state, part)
    }


def match_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return id → match, with those of undone rounds."""
    return {
        match.id: {
            "id": match.id,
            "round": past.key,
            "table": table,
            "reason": _reason(match.reason),
            "slot": match.slot,
            "begins_at": moment(match.begins),
            "timing": Unknown(match.timing) if _elsewhere(state, past) else match.timing,
            "timed_at": _known(state, match.timed_at),
            "opens_at": None if past.undone else opens_at(state, match),
            "lineups_due": moment(match.lineups_due) if match.awaits_lineups and not past.undone else None,
            "finished_at": None if past.undone else _known(state, match.finished_at),
        }
        for past, table, match in _matches(state, part)
    }


def opens_at(state: SeasonFold, match: MatchState) -> datetime | None:
    """Return when the games of a match are to be opened, or its line-ups are due; None if they are opened, or open with
    the round."""
    begins, of_teams = moment(match.begins), match.lineups_due is not None
    if match.opened or match.imported or (match.lineups and match.over):
        return None
    if match.awaits_lineups:
        return begins if match.timing == "walkover" else moment(match.lineups_due)
    if begins is None:
        return match.known_at
    if match.timing == "fixed" and not of_teams:
        return None
    at_once = state.pool == "bots" or match.timing in ("night", "walkover")
    check_in = 0 if at_once else state.settings["terms"]["check_in_minutes"]
    return begins - timedelta(minutes=check_in or 0)


def match_entrant_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return (match, entrant) → its place and points."""
    points = state.points()
    rows: Rows = {}
    for past, _table, match in _matches(state, part):
        worth = {} if past.undone else match_points(points, match)
        for order, entrant in enumerate(match.entrants):
            mine = worth.get(entrant)
            rows[match.id, entrant] = {
                "match_id": match.id,
                "entrant": entrant,
                "order": order,
                "points": None if mine is None else json_number(mine),
            }
    return rows


def match_points(points: PointsSystem, match: MatchState) -> Mapping[int, Fraction]:
    """Return entrant → points of a match; {} before it is over, or if no game of it counts."""
    if not match.over or not match.records:
        return {}
    return score_match(points, match.result()).points


def board_player_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return (match, team, board) → who plays there."""
    return {
        (match.id, entrant, board): {
            "match_id": match.id,
            "entrant": entrant,
            "board": board,
            "player_id": player,
            "how": lineup.how,
        }
        for _past, _table, match in _matches(state, part)
        for entrant, lineup in match.lineups.items()
        for board, player in enumerate(lineup.players, start=1)
    }


def empty_board_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return (match, number) → game that is not played, because a team has nobody for it."""
    return {
        (match.id, number): {"match_id": match.id, "number": number, "result": result}
        for _past, _table, match in _matches(state, part)
        for number, result in match.empty.items()
    }


def bye_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return (round, entrant) → bye."""
    return {
        (past.key, entrant): {
            "round": past.key,
            "entrant": entrant,
            "reason": _reason(reason),
            "kind": kind,
            "missing": missing,
        }
        for past in _rounds(state, part)
        for entrant, reason, kind, missing in past.resting
    }


def match_game_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return id of the game → match game."""
    return {
        game.game: {
            "match_id": match.id,
            "number": game.number,
            "replay": game.replay,
            "game_id": game.game,
            "recorded_at": game.recorded_at,
            "ruling": game.ruling,
            "result": game.result,
        }
        for _past, _table, match in _matches(state, part)
        for game in match.opened
    }


def imported_game_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return (match, number, replay) → imported game."""
    return {
        (match.id, number, result["replay"]): {
            "match_id": match.id,
            "number": number,
            "replay": result["replay"],
            "ruling": ruling,
            "result": result,
        }
        for _past, _table, match in _matches(state, part)
        for number, ruling, result in match.imported
    }


def dispute_rows(state: SeasonFold, part: Touched | None = None) -> Rows:
    """Return (match, entrant, how many before it) → dispute."""
    rows: Rows = {}
    for dispute in state.disputes:
        if part is not None and dispute.match not in part.disputed:
            continue
        before = sum(
            other["match_id"] == dispute.match and other["entrant"] == dispute.entrant for other in rows.values()
        )
        rows[dispute.match, dispute.entrant, before] = {
            "match_id": dispute.match,
            "entrant": dispute.entrant,
            "status": dispute.status,
            "note_id": dispute.note,
            "answer_id": dispute.answer,
            "raised_at": dispute.raised_at,
            "settled_at": dispute.settled_at,
        }
    return rows


def entrants_of(state: SeasonFold, part: Touched) -> set[int]:
    """Return the entrants to whom rows of a part point."""
    matches = [match for _past, _table, match in _matches(state, part)]
    byes = [bye for past in part.rounds.values() for bye in past.resting]
    disputes = [dispute.entrant for dispute in state.disputes if dispute.match in part.disputed]
    missing = {missing for _entrant, _reason, _kind, missing in byes if missing is not None}
    resting = {entrant for entrant, _reason, _kind, _missing in byes}
    placed = [entrant for number in (*part.results, *part.orders) for entrant in state.division(number).entrants]
    seated = [entrant for match in matches for entrant in match.entrants]
    return {*part.entrants, *disputes, *resting, *missing, *placed, *seated}


def moment(seconds: int | None) -> datetime | None:
    """Return a time that an event has in seconds since 1970."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _rounds(state: SeasonFold, part: Touched | None) -> Iterable[RoundState]:
    """Return the rounds in the order in which they were paired, with the undone ones."""
    if part is not None:
        return part.rounds.values()
    return (past for own in state.divisions.values() for past in (*own.undone, *own.rounds))


def _matches(state: SeasonFold, part: Touched | None) -> Iterator[tuple[RoundState, int, MatchState]]:
    """Yield the matches, each with its round and table."""
    rounds = _rounds(state, None) if part is None else {past.key: past for past in part.matches.values()}.values()
    for past in rounds:
        for table, match in enumerate(past.matches, start=1):
            if part is None or match.id in part.matches:
                yield past, table, match


def _elsewhere(state: SeasonFold, past: RoundState) -> bool:
    """Return whether a round was played elsewhere: it was paired by the import."""
    return state.imported_at is not None and past.opened_at == state.imported_at


def _reason(reason: Sequence[Any]) -> Sequence[Any] | Unknown:
    """Return why two meet; `Unknown` if a file says it in words of its own, which no log may have."""
    return Unknown(reason) if any(code == IMPORTED for code, _parameters in reason) else reason


def _known(state: SeasonFold, at: datetime | None) -> datetime | Unknown | None:
    """Return when something happened; `Unknown` if it was imported, because the log has only the time of the import."""
    return Unknown(at) if at is not None and at == state.imported_at else at
