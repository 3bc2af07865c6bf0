"""Games in the memory of a test: a fold, its events, and players who answer at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scorebook_games.bots.sdk.scorebook_bot import Session
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import paces_of
from scorebook_games.gamelog.terms import terms_of
from scorebook_games.registry import rules_for

SEED = bytes(range(32))
# A bot that computes for 18 ms before each of seven answers to something else and one that is right.
DAWDLING = """
import os
from time import thread_time
class Bot:
    def move(self, view, legal):
        for n in range(8):
            until = thread_time() + 0.018
            while thread_time() < until:
                pass
            if n < 7:
                os.write(3, b'{"move": "early", "version": 0}\\n')
        return legal[0]
"""


class Local:
    """A game after its beginning."""

    def __init__(self, kind: str, seats: int = 2, pace: str = "", options: Mapping[str, Any] | None = None) -> None:
        rules = rules_for(kind)
        paces = paces_of(rules)
        data = {
            "kind": kind,
            "rules_version": rules.spec.rules_version,
            "seats": seats,
            "options": rules.resolve(seats, options or {}),
            "terms": terms_of({"pace": pace or paces[0]}, paces).plain(),
            "commitment": "",
        }
        self.dealer = SeedDealer(SEED)
        self.fold = Fold([ev.OPENED, data])
        self.entries = [RecordedEvent(1, 0, [ev.OPENED, data])]
        self.take(rules.start(self.fold.state, self.dealer))

    def take(self, events: Sequence[Event]) -> None:
        for event in events:
            self.fold.apply(event)
            self.entries.append(RecordedEvent(self.fold.version, 0, event))

    def play(self, seat: int, text: str) -> None:
        rules, state = self.fold.rules, self.fold.state
        self.take(rules.decide(state, seat, rules.parse_move(state, text), self.dealer))


def answering(bot_class: type, heard: list[dict[str, Any]] | None = None) -> Callable[[bytes], bytes]:
    """Return an exchange with the SDK's own loop in this process; `heard` gets every line that the bot is sent."""
    session = Session(bot_class)

    def exchange(line: bytes) -> bytes:
        data = json.loads(line)
        if heard is not None:
            heard.append(data)
        return json.dumps(session.answer(data)).encode()

    return exchange


def saying(*lines: bytes) -> Callable[[bytes], bytes]:
    """Return an exchange that answers with these lines one after the other, whatever it is asked."""
    rest = list(lines)
    return lambda _line: rest.pop(0)
