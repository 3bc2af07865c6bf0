"""What one seat has been shown of a game, as the general search gets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scorebook_games.contract import Event, Options, Rules


@dataclass(frozen=True, slots=True)
class Record:
    """The events of a game as `seat` may see them (`Rules.redact`), and the terms that all players know.

    It holds no state and nothing that is hidden from the seat.
    """

    rules: Rules[Any]
    seats: int
    options: Options
    seat: int
    events: Sequence[Event]


def record_for(rules: Rules[Any], seats: int, options: Options, seat: int, events: Sequence[Event]) -> Record:
    """Return the record of `seat`, given all events of the rules. Nothing but this function sees them whole."""
    return Record(rules, seats, options, seat, [rules.redact(event, seat) for event in events])
