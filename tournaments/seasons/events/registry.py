"""Reads the events of seasons from their stored form: the one place where old forms become new ones. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from scorebook_games.contract import Event
from tournaments.seasons.events import challenges, entries, games, imported, lifecycle, rounds, rulings, teams
from tournaments.seasons.events.base import SeasonEvent, UnknownSeasonEvent

FAMILIES: Final = (
    lifecycle,
    entries,
    teams,
    challenges,
    rounds,
    games,
    rulings,
    imported,
)  # as the documents list them
SEASON_EVENTS: Final[dict[str, type[SeasonEvent]]] = SeasonEvent.types


def read_event(stored: Event) -> SeasonEvent:
    """Return an event of a season's log. Raises ValueError if its fields are not those of its type."""
    known = SEASON_EVENTS.get(stored[0])
    return known.read(stored[1:]) if known else UnknownSeasonEvent(stored[0], stored[1:])


def read_events(log: Iterable[Event]) -> Iterator[SeasonEvent]:
    """Yield the events of a season's log."""
    return map(read_event, log)
