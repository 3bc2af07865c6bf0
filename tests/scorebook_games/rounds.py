"""A game of several rounds, for what a kind has that brings nothing but its rules: Highest Card, dealt again and again.

With `roles`, each seat has one of so many secret roles for the whole game, from which nothing follows but that it is
not known.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from scorebook_games.cards import packs
from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.template import kind as template
from scorebook_games.conformance.template.rules import HighestCard, State
from scorebook_games.contract import RULES, Dealer, Event
from scorebook_games.gamelog.events import OPENED
from scorebook_games.presentation.base import Presentation
from scorebook_games.registry import KINDS

KIND = "highest_card"


class InRounds(State):
    """The state with the number of the round, and roles that no one else knows."""

    round = 1
    roles: list[int] = []

    def copy(self) -> InRounds:
        twin = InRounds(self.seats, {"hand_size": self.hand_size, "turn_limit": self.turn_limit})
        vars(twin).update(vars(super().copy()), round=self.round, roles=self.roles[:])
        return twin


class Rounds(HighestCard):
    """Highest Card in so many rounds."""

    def __init__(self, rounds: int = 3, *, roles: int = 0) -> None:
        self.rounds, self.roles = rounds, roles

    def initial(self, seats: int, options: Any) -> InRounds:
        return InRounds(seats, options)

    def start(self, state: Any, dealer: Dealer) -> list[Event]:
        roles = [["given", dealer.integers("roles", [self.roles] * state.seats)]] if self.roles else []
        return [*self.deal(state, 1, dealer), *roles]

    def deal(self, state: Any, number: int, dealer: Dealer) -> list[Event]:
        order, size = dealer.shuffle(f"deal/{number}", packs(1)), state.hand_size
        return [["dealt", [sorted(order[seat * size : (seat + 1) * size]) for seat in range(state.seats)]]]

    def decide(self, state: Any, seat: int, action: int, dealer: Dealer) -> list[Event]:
        events = super().decide(state, seat, action, dealer)
        if events[-1] == ["ended", RULES] and state.round < self.rounds:
            return [*events[:-1], *self.deal(state, state.round + 1, dealer)]
        return events

    def apply(self, state: Any, event: Event) -> None:
        if event[0] == "given":
            state.roles = event[1][:]
        if event[0] == "dealt" and state.on:
            state.round += 1
        super().apply(state, event)

    def observation(self, state: Any, seat: int | None) -> dict[str, Any]:
        role = {"role": None if seat is None else state.roles[seat]} if self.roles else {}
        return {**super().observation(state, seat), "round": state.round, **role}

    def redact(self, event: Event, seat: int | None) -> Event:
        if event[0] == "given":
            return ["given", [role if owner == seat else None for owner, role in enumerate(event[1])]]
        return super().redact(event, seat)


@contextmanager
def offered(rules: HighestCard) -> Iterator[None]:
    """Offer the rules as a kind that brings nothing else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(KINDS, KIND, replace(template.KIND, rules=rules, presentation=Presentation()))
        yield


def played(rules: HighestCard, seats: int = 3, number: int = 0, **options: Any) -> list[Event]:
    """Return the log of a game between players by lot."""
    chance = random.Random(f"rounds {number}")
    given = rules.resolve(seats, {"hand_size": 4, **options})
    opened = {"kind": KIND, "rules_version": 1, "seats": seats, "options": given, "terms": {}}
    state, dealer = rules.initial(seats, given), SeedDealer(chance.randbytes(32))
    log, events = [[OPENED, opened]], rules.start(state, dealer)
    while True:
        for event in events:
            rules.apply(state, event)
        log += events
        if not (acting := rules.to_act(state)):
            return log
        events = rules.decide(state, acting[0], chance.choice(rules.legal_actions(state, acting[0])), dealer)
