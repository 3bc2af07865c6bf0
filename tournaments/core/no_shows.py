"""Who never came to a game that is over: seen in the game's own log. `games.play.check_in` says what becomes of
them."""

from __future__ import annotations

from collections.abc import Sequence

from games.engines.base import Event
from games.eventlog import store as eventlog
from games.gamelog import events as gev
from games.models import Game
from games.play.departures import FORFEITED

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


def seats_with_moves(game: Game) -> set[int]:
    """The seats that have done anything by the rules themselves."""
    return active_seats([entry.event for entry in eventlog.read_events(game.stream_id)])
