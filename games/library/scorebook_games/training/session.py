"""A game in which each decision is an index into the list of moves that the seat is offered."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from scorebook_games.chance import SeedDealer
from scorebook_games.contract import listed_actions
from scorebook_games.placings import points_share
from scorebook_games.registry import rules_for


def seed_of(number: int) -> bytes:
    """Return the 32 bytes of the seed of game `number`."""
    return hashlib.sha256(f"scorebook training {number}".encode()).digest()


def shares(placings: Sequence[int]) -> list[float]:
    """Return the result of each seat, −1 to 1: the share of the others behind it minus the share ahead. The sum is 0.

    `placings` as in `scorebook_games.contract.Outcome`; all zeros if the game was aborted.
    """
    return [2 * points_share(placings, seat) - 1 for seat in range(len(placings))]


class Session:
    """One game by the newest rules of `kind`, without clocks and logs.

    The seats that may act are asked one after the other, as at a table: `seat` is the one that is asked, and `actions`
    are its moves, in the order of the rules. `over` tells that the game has ended; then `seat` is −1.

    Raises `UnknownKind` and `OptionError`.
    """

    def __init__(
        self, kind: str, seats: int | None = None, options: Mapping[str, Any] | None = None, seed: bytes = b""
    ) -> None:
        self.kind, self.seed = kind, seed or seed_of(0)
        self.rules = rules_for(kind)
        self.seats = self.rules.spec.seats_min if seats is None else seats
        resolved = self.rules.resolve(self.seats, options or {})
        self.dealer = SeedDealer(self.seed)
        self.state = self.rules.initial(self.seats, resolved)
        self.decisions = 0
        self._take(self.rules.start(self.state, self.dealer))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.seat < 0

    def moves(self) -> list[str]:
        """Return the moves that `seat` is offered, as it writes them."""
        return [self.rules.move_text(self.state, action) for action in self.actions]

    def observation(self, seat: int) -> dict[str, Any]:
        """Return all that `seat` may know, as a bot gets it."""
        return self.rules.observation(self.state, seat)

    def play(self, index: int) -> None:
        """Play the move with this index. Raises IndexError if there is none."""
        if not 0 <= index < len(self.actions):
            raise IndexError(f"Seat {self.seat} is offered {len(self.actions)} moves, and {index} is none of them.")
        self.decisions += 1
        events = self.rules.decide(self.state, self.seat, self.actions[index], self.dealer)
        if events:
            self._take(events)
        else:  # a pass by a seat for which nobody waits
            self._ask(self._asked + 1)

    def margins(self) -> list[float]:
        """Return by how much each seat's score is better than the mean of the others, if the game ended now."""
        scores, _ = self.rules.standing(self.state)
        sign = 1 if self.rules.spec.best == "highest" else -1
        others = max(1, self.seats - 1)
        return [sign * (score - (sum(scores) - score) / others) for score in scores]

    def __deepcopy__(self, memo: dict[int, Any]) -> Session:
        """Return an independent copy, whose chance is the same."""
        twin = copy(self)
        twin.state, twin.actions = self.state.copy(), self.actions[:]
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle keeps: rules and dealer are made again from their names."""
        return {name: value for name, value in vars(self).items() if name not in ("rules", "dealer")}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self.rules, self.dealer = rules_for(self.kind), SeedDealer(self.seed)

    def results(self) -> list[float]:
        """Return the result of each seat (`shares`); zeros while the game is on."""
        outcome = self.rules.outcome(self.state)
        return shares(outcome.placings) if outcome and outcome.placings else [0.0] * self.seats

    def _take(self, events: Sequence[list[Any]]) -> None:
        for event in events:
            self.rules.apply(self.state, event)
        self._queue = [] if self.rules.outcome(self.state) else self.rules.to_act(self.state)
        self._ask(0)

    def _ask(self, place: int) -> None:
        self._asked = place
        self.seat = self._queue[place] if self._queue else -1
        self.actions: list[int] = listed_actions(self.rules, self.state, self.seat) if self._queue else []
