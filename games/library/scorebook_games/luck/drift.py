"""The drift of a value function: by how much a value differs from its mean after the draw that comes next.

Nothing happens between the two, so a value function without fault has none. What it has is booked beside luck and play.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorebook_games.contract import Event
from scorebook_games.gamelog.events import BEAT, is_table_event
from scorebook_games.search.chance import DrawDealer
from scorebook_games.value import ValueFunction, expectation


class Step(NamedTuple):
    """A draw: the type of its event, the seat that decided last, the values before, and their mean after it."""

    event: str
    seat: int
    before: list[float]
    after: list[float]


def steps(value: ValueFunction, log: Sequence[Event]) -> Iterator[Step]:
    """Yield the draws of a finished game after its first decision.

    Of several draws of one event, the first is compared with the value before the event and with what was remembered
    then, and each later one with the value that came of the draw before.
    """
    rules = value.rules
    state = rules.initial(log[0][1]["seats"], log[0][1]["options"])
    dealer = DrawDealer(random.Random(str(log[-1])).random)
    memory: dict[str, object] = {}
    seat = None
    for event in log[1:]:
        table = is_table_event(event)
        if table and event[0] != BEAT:
            continue
        if not table and (decider := value.decider(state, event)) is not None:
            seat = decider
        before, known = None, dict(memory)
        draws = value.lot(state, event[2], dealer, memory) if table else value.draws(state, event, dealer, memory)
        for draw in draws:
            if seat is not None:
                before = value.values(state, known) if before is None else before
                yield Step(event[0], seat, before, expectation(draw.possible))
                before = draw.actual
        if not table:
            rules.apply(state, event)


def drift_of(value: ValueFunction, log: Sequence[Event]) -> Iterator[tuple[str, int, list[float]]]:
    """Yield for each of these draws the type of its event, the seat that decided last, and the mean value after the
    draw minus the value before it, for each seat."""
    for step in steps(value, log):
        yield step.event, step.seat, [after - before for after, before in zip(step.after, step.before, strict=True)]
