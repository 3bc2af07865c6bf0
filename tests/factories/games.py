"""Plays games for tests that are about something else.

All moves of all games are stored in one append, as a worker does. A move by `play_move` costs some twenty times as
much, so only what is about moves plays them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from games.common import clock
from games.eventlog import store as eventlog
from games.models import Game, seated_programs
from games.play import unit_of_work
from scorebook_games.chance import SeedDealer
from scorebook_games.gamelog.events import events_of
from scorebook_games.gamelog.fold import fold_game

TO_THE_END = 10_000  # moves


def first_move(actions: Sequence[Any]) -> Any:
    return actions[0]


def play_games(games: Sequence[Game], choose: Callable[[Sequence[Any]], Any], moves: int = TO_THE_END) -> None:
    """Play each of `games` by the actions that are chosen from the legal ones, to its end or at most so many moves."""
    logs = eventlog.read_logs([game.stream_id for game in games])
    programs = seated_programs(games)
    units = []
    for game in games:
        log = logs[game.stream_id]
        fold, dealer = fold_game(entry.event for entry in events_of(log)), SeedDealer(bytes(game.deal.seed))
        unit = unit_of_work.GameUnit(game, fold, programs[game.pk] | fold.taken_over, log)
        for _move in range(moves):
            if fold.outcome():
                break
            seat = fold.to_act()[0]
            action = choose(fold.rules.legal_actions(fold.state, seat))
            unit.take(fold.rules.decide(fold.state, seat, action, dealer), clock.now())
        units.append(unit)
    unit_of_work.commit([unit for unit in units if unit.events], clock.now())


def play_game(game: Game, choose: Callable[[Sequence[Any]], Any] = first_move, moves: int = TO_THE_END) -> Game:
    """Play this game on, as `play_games` does, and return it as it is then."""
    game.refresh_from_db(from_queryset=Game.objects.select_related("deal"))
    play_games([game], choose, moves)
    game.refresh_from_db()
    return game
