"""The drift of a value function: by how much a value differs from its mean after the draw that comes next.

Nothing happens between the two, so a value function without fault has none. What it has is booked beside luck and play.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from scorebook_games.contract import Event
from scorebook_games.gamelog.events import BEAT, is_table_event
from scorebook_games.luck.ledger import expectation
from scorebook_games.search.chance import DrawDealer
from scorebook_games.value import ValueFunction


def drift_of(value: ValueFunction, log: Sequence[Event]) -> Iterator[tuple[str, int, list[float]]]:
    """Yield for each draw after the first decision of a finished game: the type of its event, the seat that decided
    last, and the mean value after the draw minus the value before it, for each seat.

    Of several draws of one event, the first is compared with the value before the event, and each later one with the
    value that came of the draw before.
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
        before = None if seat is None else value.values(state, memory)
        draws = value.lot(state, event[2], dealer, memory) if table else value.draws(state, event, dealer, memory)
        for draw in draws:
            if before is not None and seat is not None:
                mean = expectation(draw.possible)
                yield event[0], seat, [after - each for after, each in zip(mean, before, strict=True)]
                before = draw.actual
        if not table:
            rules.apply(state, event)
