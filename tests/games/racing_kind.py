"""Grab, a small kind in which several seats may act at once, to test what `games.play.services` promises about races.

The numbers 1 … 9 are on the table. A player who wants one plays `grab 4`, at any time, and then the number is gone.
Before that, a player may `point 4`, whether it is on the table or not, which is worth nothing. When no number is left,
the highest sum wins. A bundle is any number of points and then a grab. `grab_ms` is the shortest time between two grabs
of one player, and before the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from scorebook_games.contract import (
    REDACTED,
    RULES,
    Dealer,
    Event,
    IllegalMove,
    MalformedMove,
    Option,
    Options,
    Outcome,
    Rules,
    Spec,
    placings,
)
from scorebook_games.kind import Kind

PASS: Final = 20


@dataclass
class State:
    """The state: `lying` are the numbers on the table, `sums` is what each seat has grabbed, and `pointing` is the
    number to which each seat points (0 for none)."""

    lying: list[int] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)
    pointing: list[int] = field(default_factory=list)
    grab_ms: int = 0

    def copy(self) -> State:
        return State(self.lying[:], self.sums[:], self.pointing[:], self.grab_ms)

    def plain(self) -> dict[str, Any]:
        return {"lying": self.lying[:], "sums": self.sums[:], "pointing": self.pointing[:], "grab_ms": self.grab_ms}


@dataclass
class WinkState(State):
    """The state of Wink. `owner` is the seat that may take several numbers in any turn, which is a secret; -1 for
    none."""

    owner: int = -1

    def copy(self) -> WinkState:
        return WinkState(**self.plain())

    def plain(self) -> dict[str, Any]:
        return {**super().plain(), "owner": self.owner}


class Grab:
    """The rules of Grab. Actions 1 … 9 are grabs, and 11 … 19 are points."""

    grab_ms = Option("grab_ms", "int", 0, "Time between two grabs.", 0, 5000)
    spec = Spec("grab", "Grab", 1, 2, 4, (grab_ms,), "A move is grab or point and a number from 1 to 9.")
    paces = ("turns", "beats", "live")

    def resolve(self, seats: int, options: Mapping[str, Any]) -> Options:
        return self.spec.resolve(seats, options)

    def initial(self, seats: int, options: Options) -> State:
        return State([], [0] * seats, [0] * seats, options["grab_ms"])

    def start(self, state: State, dealer: Dealer) -> list[Event]:
        return [["laid_out", list(range(1, 10))]]

    def to_act(self, state: State) -> list[int]:
        return list(range(len(state.sums))) if state.lying else []

    def to_act_seen(self, state: State, viewer: int | None) -> list[int]:
        return self.to_act(state)

    def awaited(self, state: State) -> list[int]:
        return self.to_act(state)

    def ends_bundle(self, state: State, action: int) -> bool:
        return action < 10

    def pace_limit(self, state: State, seat: int, action: int) -> int:
        return state.grab_ms if action < 10 else 0

    def starts_pace(self, event: Event, seat: int) -> bool:
        return event[0] == "laid_out" or event[:2] == ["grabbed", seat]

    def legal_actions(self, state: State, seat: int) -> list[int]:
        points = [10 + number for number in range(1, 10) if number != state.pointing[seat]]
        return [*state.lying, *points] if state.lying else []

    def decide(self, state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
        if action > 10 and action - 10 != state.pointing[seat] and state.lying:
            return [["pointed", seat, action - 10]]
        if action not in state.lying:
            raise IllegalMove("gone", "G-1", f"The {action % 10} is gone, or pointed at.")
        return [["grabbed", seat, action]]

    def apply(self, state: State, event: Event) -> None:
        match event:
            case ["laid_out", numbers]:
                state.lying = list(numbers)
            case ["grabbed", seat, number]:
                state.lying.remove(number)
                state.sums[seat] += number
            case ["pointed", seat, number]:
                state.pointing[seat] = number

    def action_of(self, state: State, event: Event) -> tuple[int, int]:
        return event[1], event[2] + (10 if event[0] == "pointed" else 0)

    def observation(self, state: State, seat: int | None) -> dict[str, Any]:
        return state.plain()

    def redact(self, event: Event, seat: int | None) -> Event:
        return event if event[0] in ("laid_out", "grabbed", "pointed") else REDACTED

    def readable(self, event: Event) -> dict[str, Any]:
        return {"type": event[0], "data": event[1:]}

    def outcome(self, state: State) -> Outcome | None:
        if state.lying or not any(state.sums):
            return None
        return Outcome(RULES, *self.standing(state))

    def standing(self, state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return tuple(state.sums), placings(state.sums, best="highest")

    def move_text(self, state: State, action: int) -> str:
        return f"grab {action}" if action < 10 else f"point {action - 10}"

    def parse_move(self, state: State, text: str) -> int:
        verb, _, number = text.partition(" ")
        if verb not in ("grab", "point") or number not in list("123456789"):
            raise MalformedMove(self.spec.notation)
        return int(number) + (10 if verb == "point" else 0)


class Wink(Grab):
    """The rules of Grab in turns with a secret: one seat may be allowed to grab or pass at any time, before the others.

    Nobody waits for this seat, and nobody else may learn that there is such a seat.
    """

    spec = Spec("wink", "Wink", 1, 2, 4, (Grab.grab_ms,), "A move is grab or point and a number from 1 to 9, or pass.")
    owner = -1

    def initial(self, seats: int, options: Options) -> WinkState:
        return WinkState([], [0] * seats, [0] * seats, options["grab_ms"])

    def start(self, state: State, dealer: Dealer) -> list[Event]:
        return [["told", self.owner], ["laid_out", list(range(1, 10))]]

    def to_act(self, state: State) -> list[int]:
        assert isinstance(state, WinkState)
        turn = self.awaited(state)
        return turn if state.owner in (-1, *turn) or not turn else [state.owner, *turn]

    def to_act_seen(self, state: State, viewer: int | None) -> list[int]:
        assert isinstance(state, WinkState)
        return self.to_act(state) if viewer == state.owner else self.awaited(state)

    def awaited(self, state: State) -> list[int]:
        return [(9 - len(state.lying)) % len(state.sums)] if state.lying else []

    def legal_actions(self, state: State, seat: int) -> list[int]:
        if seat not in self.to_act(state):
            return []
        return [*super().legal_actions(state, seat), *([PASS] if seat not in self.awaited(state) else [])]

    def decide(self, state: State, seat: int, action: int, dealer: Dealer) -> list[Event]:
        if action not in self.legal_actions(state, seat):
            raise IllegalMove("not_now", "W-1", "You cannot do that now.")
        return [] if action == PASS else super().decide(state, seat, action, dealer)

    def apply(self, state: State, event: Event) -> None:
        assert isinstance(state, WinkState)
        if event[0] == "told":
            state.owner = event[1]
        super().apply(state, event)

    def observation(self, state: State, seat: int | None) -> dict[str, Any]:
        assert isinstance(state, WinkState)
        return {**state.plain(), "owner": seat if seat == state.owner else None}

    def redact(self, event: Event, seat: int | None) -> Event:
        if event[0] == "told":
            return event if event[1] == seat else ["told", None]
        return super().redact(event, seat)

    def ends_bundle(self, state: State, action: int) -> bool:
        return action == PASS or super().ends_bundle(state, action)

    def move_text(self, state: State, action: int) -> str:
        return "pass" if action == PASS else super().move_text(state, action)

    def parse_move(self, state: State, text: str) -> int:
        return PASS if text == "pass" else super().parse_move(state, text)


def kind_of(rules: Rules[Any]) -> Kind:
    """Return a kind with these rules and nothing else. Its folder does not exist; all files of a folder are hashed."""
    return Kind(contract=1, folder=Path(__file__).with_name("grab"), rules=rules)
