"""A ledger recomputed as docs/reference/luck.md says, in *Computing one again*, without the program of the ledger.

It follows the steps of that page and nothing else. If it has to know more, the page needs mending. Games by beats need
step 5, too, and are left out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Any

import pytest

from scorebook_games.bots.builtin import SENSIBLE, MoveRequest
from scorebook_games.contract import Event, listed_actions
from scorebook_games.luck.games import play
from scorebook_games.luck.ledger import ledger_of
from scorebook_games.registry import KINDS
from scorebook_games.search.chance import DrawDealer, shuffled

Worth = list[float]
PARTS = ("start", "luck", "own", "others", "unexplained", "table")


def mean_of(weighted: Sequence[tuple[float, Worth]]) -> Worth:
    whole = sum(weight for weight, _ in weighted)
    return [sum(weight * values[seat] for weight, values in weighted) / whole for seat in range(len(weighted[0][1]))]


class Recomputed:
    def __init__(self, log: list[Event], kind: str) -> None:
        value = KINDS[kind].value
        assert value
        self.kind, self.value, self.rules = kind, value, value.rules
        self.seats, options = log[0][1]["seats"], log[0][1]["options"]
        self.before = sha256()  # of all rule events so far
        self.state, self.memory = self.rules.initial(self.seats, options), dict[str, Any]()
        self.parts = {part: [0.0] * self.seats for part in PARTS}
        self.usual: dict[str, Worth | None] = {}  # W of the usual moves, None for the one that was made
        rest = [event for event in log[1:] if not event[0].startswith("@")]
        while self.value.decider(self.state, rest[0]) is None:
            self.apply(rest.pop(0))
        self.seat: int | None = None  # whose decision it is
        self.dealer = self.generator("")
        deals = []
        for _ in range(50):
            imagined = self.rules.initial(self.seats, options)
            for event in self.rules.start(imagined, self.dealer):
                self.rules.apply(imagined, event)
            deals.append((1.0, self.value.values(imagined)))
        self.parts["start"] = self.now = mean_of(deals)
        self.move_to(self.value.values(self.state), "luck")
        for event in rest:
            self.later(event)
        self.end_decision()
        _, places = self.rules.standing(self.state)
        others = self.seats - 1
        result = [(sum(mine < place for place in places) + (places.count(mine) - 1) / 2) / others for mine in places]
        self.move_to(result, "table")
        self.result = result

    def apply(self, event: Event) -> None:
        self.before.update(json.dumps(event, separators=(",", ":")).encode())
        self.rules.apply(self.state, event)

    def generator(self, purpose: str) -> DrawDealer:
        seed = sha256(self.before.digest() + f"{self.seat} {purpose}".encode()).digest()
        return DrawDealer(Random(seed).random)

    def move_to(self, values: Worth, part: str) -> None:
        self.parts[part] = [old + new - now for old, new, now in zip(self.parts[part], values, self.now, strict=True)]
        self.now = values

    def later(self, event: Event) -> None:
        seat = self.value.decider(self.state, event)
        if seat is not None:
            self.end_decision()
            self.seat = seat
            self.dealer = self.generator("")
            made = self.rules.move_text(self.state, self.rules.action_of(self.state, event)[1])
            self.usual = {move: None if move == made else self.worth(move) for move in self.usual_moves(seat)}
        for draw in self.value.draws(self.state, event, self.dealer, self.memory):
            self.worth_is(mean_of(draw.possible))
            self.move_to(draw.actual, "luck")
        self.apply(event)

    def usual_moves(self, seat: int) -> list[str]:
        moves = [self.rules.move_text(self.state, action) for action in listed_actions(self.rules, self.state, seat)]
        if len(moves) > 1:
            moves = SENSIBLE.equals(MoveRequest(self.kind, self.rules.observation(self.state, seat), 0), moves)
        return shuffled(moves, self.generator("usual").draw)[:12] if len(moves) > 12 else moves

    def worth(self, move: str) -> Worth:
        state, memory, dealer = self.state.copy(), dict(self.memory), self.generator("")
        assert self.seat is not None
        action = self.rules.parse_move(state, move)
        for event in self.rules.decide(state, self.seat, action, self.generator("events")):
            for draw in self.value.draws(state, event, dealer, memory):
                return mean_of(draw.possible)
            self.rules.apply(state, event)
        return self.value.values(state, memory)

    def end_decision(self) -> None:
        self.worth_is(self.value.values(self.state, self.memory))

    def worth_is(self, made: Worth) -> None:
        """Reach the worth of the move that was made, if there is one that was not reached yet."""
        if self.usual:
            others = [made if each is None else each for each in self.usual.values()]
            usual = mean_of([(1.0, each) for each in others])
            self.move_to(usual, "unexplained")
            for seat in range(self.seats):
                self.parts["own" if seat == self.seat else "others"][seat] += made[seat] - usual[seat]
            self.now, self.usual = made, {}
        else:
            self.move_to(made, "unexplained")


@pytest.mark.parametrize(("kind", "seats"), [("chinese_ten", 2), ("palace", 3), ("plates", 2), ("platinum_fish", 2)])
def test_a_ledger_can_be_recomputed_from_the_documents_alone(kind: str, seats: int) -> None:
    log = play(kind, [0.3] * seats, bytes([5] * 32))
    ours, again = ledger_of(log, KINDS[kind].value), Recomputed(log, kind)
    assert tuple(again.result) == ours.result
    for part in PARTS:
        assert again.parts[part] == pytest.approx(list(getattr(ours, part)), abs=1e-12), part
    assert any(again.parts["own"])
