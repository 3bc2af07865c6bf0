"""Ends the games that still wait for people when their round is over."""

from __future__ import annotations

from games.common.errors import Expected
from games.models import Game
from games.play import services as play
from games.play.departures import FORFEITED, people
from games.play.unit_of_work import GameUnit
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as gev
from scorebook_games.gamelog.endings import ended_by_leavers, nobody_came
from tournaments.core.no_shows import seats_with_moves


def forfeit_waiting_seats(game: Game) -> bool:
    """End an overdue game if it waits for people: they forfeit, and the others are placed by the present position.

    If nobody has come or moved yet, all people forfeit and share the last place. Returns whether it waited for anybody.
    """
    with Expected("game_over"):
        return play.change_game(game, _ends_game)
    return False


def _ends_game(unit: GameUnit) -> list[Event]:
    fold = unit.fold
    there = people(fold, unit.programs)
    came = set(fold.ready) if not fold.go else seats_with_moves(unit.game)
    missing = [seat for seat in there if seat not in came]
    if fold.go and set(there) & came:
        missing = [seat for seat in fold.awaited() if seat in there]
    if not missing:
        return []
    gone = [*fold.left, *missing]
    nobody = set(there) == set(missing) and not set(there) & came
    termination = gev.FORFEITED if set(missing) & came else gev.NO_SHOW
    end = nobody_came(fold, gone) if nobody else ended_by_leavers(fold, gone, termination)
    return [*[[gev.LEFT, seat, FORFEITED] for seat in missing], end]
