"""Where the making of worlds begins: at the last round that began afresh.

A round may begin when the rules deal again: with an event of the type with which the game began. It has begun afresh if
nothing matters any more that was hidden from the seat before. No kind says this, so it is tried: some worlds of what
came before are made, and the round is dealt with the same draws in each. Then all states must be the same. If a secret
lasts longer, such as a role for the whole game, they differ, and worlds begin earlier.

A round is made from the one before it, so each is made once. The answer depends on nothing but what the seat was shown.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from scorebook_games.contract import Event, Rules
from scorebook_games.search.chance import DrawDealer
from scorebook_games.search.general_worlds import Beginning, GeneralWorlds, Plan
from scorebook_games.search.record import Record

MAKING: Final = 10_000  # positions for the worlds of a round that is over
WORLDS: Final = 6  # that must agree; a secret of two values is the same in all of them once in 32 times
MAX_ROUNDS: Final = 100  # a game that deals more often does not begin afresh, but draws as it goes on
MAX_FAILED: Final = 2  # rounds in a row, after which no further one is tried


class Opened(NamedTuple):
    """How a round is opened in one world: the first event of the move that does it, the state before this move, and all
    facts after it, with draws that are the same in every world."""

    number: int
    state: Any
    facts: str


class OpenedRounds(GeneralWorlds):
    """Worlds of a round up to the event that opens the next one."""

    def world(self, plan: Plan, key: str | int | None) -> tuple[Plan, Any]:
        """Return a plan whose game looks as it was seen, and how it opens the next round."""
        plan, _ = super().world(plan, key)
        return plan, self.opened(plan)

    def is_like(self, shown: list[Event], seen: Sequence[Event]) -> bool:
        """The last move may lead to more events."""
        return shown[: len(seen)] == list(seen)

    def is_right(self, state: Any) -> bool:  # noqa: ARG002  the events alone count
        """Return True."""
        return True

    def opened(self, plan: Plan) -> Opened | None:
        """Return how the last draw of the plan opens a round; None if it does not, because other moves follow it."""
        number, state = max((saved for key, saved in plan.saved.items() if isinstance(key, str)), key=lambda at: at[0])
        before, state = state, state.copy()
        made = self.decided(plan.copy(), number, state, DrawDealer(random.Random("a round").random))
        if number + len(made) < len(self.events):
            return None
        for event in made:
            self.rules.apply(state, event)
        return Opened(number, before, json.dumps(state.plain()))


def beginning_of(record: Record) -> Beginning:
    """Return where the game of a record may be played again from, to make worlds of its last moment."""
    openings = [number for number, event in enumerate(record.events) if number and event[0] == record.events[0][0]]
    if not 0 < len(openings) <= MAX_ROUNDS:
        return Beginning()
    events = json.dumps(record.events[: openings[-1] + 1])
    rules: Any = record.rules  # the same object for all games of a kind
    return _last_round(rules, record.seats, json.dumps(record.options), record.seat, events)


@lru_cache(maxsize=128)  # the positions of a game ask for the same rounds
def _last_round(rules: Rules[Any], seats: int, options: str, seat: int, events: str) -> Beginning:
    """Return the beginning of the round that the last of these events opens, or of an earlier one."""
    shown = json.loads(events)
    before = beginning_of(Record(rules, seats, json.loads(options), seat, shown[:-1]))
    if before.failed >= MAX_FAILED:
        return before
    record = Record(rules, seats, json.loads(options), seat, shown)
    rounds = OpenedRounds(record, {}, [], MAKING, random.Random(f"{seat} {events}"), before)
    found = rounds.some(WORLDS)
    if len(found) > 1 and found[0] and all(each and each[::2] == found[0][::2] for each in found):
        return Beginning(found[0].number, found[0].state)
    return before._replace(failed=before.failed + 1)
