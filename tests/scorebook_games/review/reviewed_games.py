"""Games to review, as logs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from scorebook_games.contract import Event
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.luck.games import play


def played(kind: str, careless: Sequence[float], number: int = 0, **options: Any) -> list[Event]:
    """Return game `number` between players who play a random move so often."""
    return play(kind, careless, random.Random(f"reviewed {kind} {number}").randbytes(32), options=options)


def recorded(log: Sequence[Event]) -> list[RecordedEvent]:
    """Return the events with their versions."""
    return [RecordedEvent(version, 0, event) for version, event in enumerate(log, 1)]
