"""Grab: the smallest game in which several seats may act at once, for what `games.table` promises about races.

The numbers 1 … 9 lie on the table. Whoever wants one says `grab 4`, at any time; it is gone then. When none is left
the highest sum is first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from games.engines.base import (
    REDACTED,
    RULES,
    Dealer,
    Event,
    IllegalMove,
    MalformedMove,
    Options,
    Outcome,
    Spec,
    placings,
)


@dataclass
class State:
    """`lying`: the numbers on the table. `sums`: what each seat has grabbed."""

    lying: list[int] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)

    def copy(self) -> State:
        return State(self.lying[:], self.sums[:])

    def plain(self) -> dict[str, Any]:
        return {"lying": self.lying[:], "sums": self.sums[:]}


class Grab:
    """The rules."""

    spec = Spec("grab", "Grab", 1, 2, 4, (), "A move is grab and a number from 1 to 9.")

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        return self.spec.resolve(seats, options)

    def initial(self, seats: int, options: Options) -> State:
        return State([], [0] * seats)

    def start(self, state: State, dealer: Dealer) -> list[Event]:
        return [["laid_out", list(range(1, 10))]]

    def to_act(self, state: State) -> list[int]:
        return list(range(len(state.sums))) if state.lying else []

    def legal_actions(self, state: State, seat: int) -> list[int]:
        return state.lying[:]

    def decide(self, state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
        if action not in state.lying:
            raise IllegalMove("gone", "G-1", f"The {action} is gone.")
        return [["grabbed", seat, action]]

    def apply(self, state: State, event: Event) -> None:
        match event:
            case ["laid_out", numbers]:
                state.lying = list(numbers)
            case ["grabbed", seat, number]:
                state.lying.remove(number)
                state.sums[seat] += number

    def action_of(self, state: State, event: Event) -> tuple[int, int]:
        return event[1], event[2]

    def observation(self, state: State, seat: int | None) -> dict[str, Any]:
        return state.plain()

    def redact(self, event: Event, seat: int | None) -> Event:
        return event if event[0] in ("laid_out", "grabbed") else REDACTED

    def readable(self, event: Event) -> dict[str, Any]:
        return {"type": event[0], "data": event[1:]}

    def outcome(self, state: State) -> Outcome | None:
        if state.lying or not any(state.sums):
            return None
        return Outcome(RULES, *self.standing(state))

    def standing(self, state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return tuple(state.sums), placings(state.sums, best="highest")

    def move_text(self, state: State, action: int) -> str:
        return f"grab {action}"

    def parse_move(self, state: State, text: str) -> int:
        verb, _, number = text.partition(" ")
        if verb != "grab" or number not in list("123456789"):
            raise MalformedMove(self.spec.notation)
        return int(number)
