"""Games to review, as logs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from scorebook_games.contract import Event
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.luck.games import play
from tests.scorebook_games.kinds.permute import GENERATORS


def played(kind: str, careless: Sequence[float], number: int = 0, **options: Any) -> list[Event]:
    """Return game `number` between players who play a random move so often."""
    return play(kind, careless, random.Random(f"reviewed {kind} {number}").randbytes(32), options=options)


def recorded(log: Sequence[Event]) -> list[RecordedEvent]:
    """Return the events with their versions."""
    return [RecordedEvent(version, 0, event) for version, event in enumerate(log, 1)]


def half_and_its_like(kind: str) -> tuple[list[Event], list[Event], int]:
    """Return half of a game of three, a log with other hidden cards, and a seat to which both look the same."""
    whole, rng = played(kind, [0.3, 0.3, 0.3]), random.Random(2)
    log = whole[: len(whole) // 2]
    others = [(seat, GENERATORS[kind](3, log[0][1]["options"], log[1:], seat, rng)) for seat in range(3)]
    seat, other = next((seat, other) for seat, other in others if other is not None)
    assert other != log[1:]
    return log, [log[0], *other], seat
