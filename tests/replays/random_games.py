"""Makes games with the engines alone, as events of a log, for tests of frames."""

from __future__ import annotations

import random
from typing import Any

from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import by_lot
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.terms import terms_of
from scorebook_games.registry import rules_for

NAMES = ["Martha", "Laura", "Otto", "Ines"]


def opening(kind: str, seats: int, options: dict[str, Any] | None = None) -> Event:
    """Return the first event of a game under the usual terms."""
    rules = rules_for(kind)
    data = {"kind": kind, "rules_version": rules.spec.rules_version, "seats": seats, "commitment": ""}
    return [ev.OPENED, {**data, "options": rules.resolve(seats, options or {}), "terms": terms_of({}).plain()}]


def entries(*events: Event) -> list[RecordedEvent]:
    """Return these events as recorded in a log, a second apart."""
    return [RecordedEvent(version, 1000 * version, event) for version, event in enumerate(events, 1)]


def random_game(kind: str, seats: int, *, seed: int = 3, options: dict[str, Any] | None = None) -> list[RecordedEvent]:
    """Return a whole game of random legal moves, which is the same for the same seed."""
    rules, chance, dealer = rules_for(kind), random.Random(seed), SeedDealer(bytes([seed]) * 32)
    opened = opening(kind, seats, options)
    state = rules.initial(seats, opened[1]["options"])
    events, new = [opened], rules.start(state, dealer)
    while new:
        for event in new:
            rules.apply(state, event)
        events += new
        acting = rules.to_act(state)
        new = rules.decide(state, acting[0], by_lot(rules, state, acting[0], chance), dealer) if acting else []
    return entries(*events)
