"""Games to review, as logs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from scorebook_games.bots import requests
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.gamelog.events import OPENED, RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import beat_events
from scorebook_games.luck.games import play
from scorebook_games.registry import KINDS

SEED = bytes(range(32))


def played(kind: str, careless: Sequence[float], number: int = 0, **options: Any) -> list[Event]:
    """Game `number` between players who play a random move so often."""
    return play(kind, careless, random.Random(f"reviewed {kind} {number}").randbytes(32), options=options)


def recorded(log: Sequence[Event]) -> list[RecordedEvent]:
    """The events with their versions."""
    return [RecordedEvent(version, 0, event) for version, event in enumerate(log, 1)]


def played_in_beats(kind: str, seats: int, program: str = "sensible") -> list[Event]:
    """A game in which all give bundles for each beat."""
    rules = KINDS[kind].rules
    opened = {
        "kind": kind,
        "rules_version": rules.spec.rules_version,
        "seats": seats,
        "options": rules.resolve(seats, {}),
        "terms": {"pace": "beats"},
    }
    fold, dealer = Fold([OPENED, opened]), SeedDealer(SEED)
    log: list[Event] = [[OPENED, opened]]
    made = rules.start(fold.state, dealer)
    while made:
        for event in made:
            fold.apply(event)
        log += made
        bundles = {seat: requests.bundle(fold, seat, program, SEED) for seat in fold.to_act()}
        made = beat_events(fold, bundles, dealer) if bundles else []
    return log
