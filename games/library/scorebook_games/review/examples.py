"""Shows by an example why a move is better: both moves played on in one world, with the same luck."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from scorebook_games.review.lines import Lines, Setting
from scorebook_games.review.sight import DECISION, Sight
from scorebook_games.search.worth import Observation

FRESH: Final = "fresh"  # the part of a review whose worlds examples are from
LINE_MOVES: Final = 12


class LineMove(NamedTuple):
    """A move of an example: who made it, its text, and what that seat saw before."""

    seat: int
    move: str
    seen: Observation


def example_in(lines: Lines, number: int, better: str) -> dict[str, Any]:
    """Return the better move and that which was made, each played on in world `number`."""
    best, made = (
        {
            "moves": [[move.seat, move.move] for move in moves],
            "scores": list(lines.rules.standing(line.state)[0]),
            "share": shares[lines.seat] if shares else lines.share(line),
        }
        for moves, line, shares in (played(lines, number, move) for move in (better, lines.position.move))
    )
    return {"version": lines.position.version, "world": number, "best": best, "made": made}


def played(lines: Lines, number: int, move: str) -> tuple[list[LineMove], Any, list[float] | None]:
    """Begin with `move` in world `number`. Return the first moves and the line after them, and the forecast if the line
    has come to where one can be made: there it stops, as all lines do."""
    name = f"{lines.name} {number}"
    world = lines.world(random.Random(name))
    line = lines.begun(world, f"{name} luck", lines.seat)
    action = lines.rules.parse_move(world, move)
    setting, moves = lines.setting, []
    while True:
        seen = lines.rules.observation(world, line.seat)
        moves.append(LineMove(line.seat, lines.rules.move_text(world, action), seen))
        line.play(action)
        shares = setting.forecast(world) if setting.forecast else None
        if shares or line.seat < 0 or len(moves) == LINE_MOVES or line.turns > setting.sight.seats:
            return moves, line, shares
        action = setting.habit(world, line.seat, line.draw)


def example_moves(sight: Sight, mistake: Mapping[str, Any]) -> dict[str, list[LineMove]]:
    """Return the moves of a mistake's example again, `best` and `made`, with what each seat saw before its move.

    The method of the review must be the present one.
    """
    (at,) = [
        position for position in sight.positions if position.what == DECISION and position.event == mistake["event"]
    ]
    lines = Lines(Setting(sight), at, f"{sight.hash()} {FRESH} {at.version} {at.event}")
    number = mistake["line"]["world"]
    return {"best": played(lines, number, mistake["best"])[0], "made": played(lines, number, at.move)[0]}
