"""Who did not come to a game, and what games come to whose round is over: seen in the games' own logs."""

from __future__ import annotations

from collections.abc import Sequence

from games.common.errors import DomainError
from games.engines.base import Event
from games.eventlog import store as eventlog
from games.gamelog import events as gev
from games.gamelog.visibility import outcome_data
from games.models import Game
from games.play import services as play
from games.play.departures import FORFEITED, people
from games.play.unit_of_work import GameUnit

DEAL_EVENTS = ("dealt", "set", "turned", "stacked", "go")  # rule events whose first number is not a seat that acts


def no_show_seats(events: Sequence[Event]) -> list[int]:
    """The seats that were forfeited without ever having checked in or made a move."""
    forfeited = {event[1] for event in events if event[0] == gev.LEFT and event[2] == FORFEITED}
    return sorted(forfeited - active_seats(events))


def active_seats(events: Sequence[Event]) -> set[int]:
    """The seats that have checked in or moved. What is dealt to a seat, or played for it when its clock has run out, is
    not its doing."""
    acted, played_for = set(), -1
    for event in events:
        match event:
            case [gev.EXPIRED, int(seat)]:
                played_for = seat
                continue
            case [gev.READY, int(seat)]:
                acted.add(seat)
            case [str(kind), int(seat), *_] if not gev.is_table_event(event) and kind not in DEAL_EVENTS:
                acted |= {seat} - {played_for}
        played_for = -1
    return acted


def absent_seats(game: Game) -> list[int]:
    """The seats whose players never came to a game that is over."""
    return no_show_seats([entry.event for entry in eventlog.read_events(game.stream_id)])


def forfeit_waiting_seats(game: Game) -> bool:
    """End a game whose round is over, as far as it waits for people: whoever it waits for forfeits, and the others are
    placed by how it stands; where nobody has come or moved yet all people do, and share the last place.

    Whether it waited for anybody.
    """
    try:
        return play.change_game(game, _ends_game)
    except DomainError as error:
        if error.code != "game_over":
            raise
        return False


def _ends_game(step: GameUnit) -> list[Event]:
    fold = step.fold
    there = people(fold, step.programs)
    came = set(fold.ready) if not fold.go else _seats_with_moves(step.game)
    missing = [seat for seat in there if seat not in came]
    if fold.go and set(there) & came:
        missing = [seat for seat in fold.awaited() if seat in there]
    if not missing:
        return []
    gone = [*fold.left, *missing]
    nobody = set(there) == set(missing) and not set(there) & came
    termination = gev.FORFEITED if set(missing) & came else gev.NO_SHOW
    outcome = fold.outcome_if_nobody_came(gone) if nobody else fold.outcome_if_ended(gone, termination)
    return [*[[gev.LEFT, seat, FORFEITED] for seat in missing], [gev.ENDED, outcome_data(outcome)]]


def _seats_with_moves(game: Game) -> set[int]:
    """The seats that have done anything by the rules themselves."""
    return active_seats([entry.event for entry in eventlog.read_events(game.stream_id)])
