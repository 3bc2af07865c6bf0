"""Finds the players who never came to a finished game, from the game's own log. `games.play.check_in` decides what
happens to them."""

from __future__ import annotations

from collections.abc import Sequence

from games.eventlog import store as eventlog
from games.models import Game
from games.play.departures import FORFEITED
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as gev

DEAL_EVENTS = ("dealt", "set", "turned", "stacked", "go")  # rule events whose first number is not an acting seat


def no_show_seats(events: Sequence[Event]) -> list[int]:
    """Return the seats that forfeited without ever having checked in or made a move."""
    forfeited = {event[1] for event in events if event[0] == gev.LEFT and event[2] == FORFEITED}
    return sorted(forfeited - active_seats(events))


def active_seats(events: Sequence[Event]) -> set[int]:
    """Return the seats that have checked in or moved. Cards dealt to a seat, and moves made for it after its time ran
    out, do not count."""
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
    """Return the seats whose players never came to a finished game."""
    return no_show_seats([entry.event for entry in eventlog.read_events(game.stream_id)])


def seats_with_moves(game: Game) -> set[int]:
    """Return the seats that have made a move of the rules themselves."""
    return active_seats([entry.event for entry in eventlog.read_events(game.stream_id)])
