"""The search's guide to Plates."""

from __future__ import annotations

from typing import Final

from scorebook_games.contract import Draw
from scorebook_games.kinds.plates.rules import (
    ACE,
    ADD,
    ADD_ACTION,
    BLIND_ACTION,
    CLEAR,
    DEALT,
    EMPTY,
    GONE,
    KNOWN,
    NOBODY,
    OVER,
    PLACE_ACTION,
    SET,
    TAKE_ACTION,
    Plates,
    PlatesState,
    points_of,
)
from scorebook_games.kinds.plates.worlds import PlatesWorlds
from scorebook_games.search.value import shares
from scorebook_games.search.worth import Observation

SCALE: Final = 150  # a lead of this many points is a clear one


class PlatesGuide:
    """Playouts clear the plate if they can, turn cards up early, and place all cards of the highest rank."""

    rules: Final = Plates()
    paced: Final = None
    iterations: Final = 100
    horizon: Final = 150
    widening: Final = 8

    def worlds(self, observation: Observation) -> PlatesWorlds:
        """Return the worlds that agree with `observation`."""
        return PlatesWorlds(observation)

    def candidates(self, state: PlatesState, seat: int) -> list[int]:
        """Return all legal actions."""
        return self.rules.legal_actions(state, seat)

    def habit(self, state: PlatesState, seat: int, draw: Draw) -> int:
        """Return the play of all cards of the highest rank that can be placed, but first of a blind card."""
        return add(state, seat) if state.phase == ADD else place(state, seat)

    def settled(self, state: PlatesState) -> bool:
        """Return whether the game is over or another round has been dealt, which no move of this round affects."""
        return state.phase == OVER or is_dealt(state)

    def value(self, state: PlatesState) -> list[float]:
        """Return a higher value for a lead, and a still higher one for a clear lead. Cards in hand count."""
        totals = [0] * state.seats if state.phase == OVER or is_dealt(state) else points_of(state)
        for points in state.scores:
            totals = [total + more for total, more in zip(totals, points, strict=True)]
        return shares([-total for total in totals], SCALE)


def is_dealt(state: PlatesState) -> bool:
    """Return whether a round has just been dealt."""
    return state.turns == 0 and state.held[0] == DEALT and sum(state.held) == DEALT * state.seats


def place(state: PlatesState, seat: int) -> int:
    """Return the habitual play."""
    known, top = state.known[seat], state.top
    if top != EMPTY and known[top]:
        count = known[top] // KNOWN + known[top] % KNOWN
        if state.run + count >= SET:
            return all_of(known[top], top) | (CLEAR if count < SET else 0)
    last = state.out != NOBODY
    if last and known[ACE]:
        return all_of(known[ACE], ACE)
    if not state.revealed[seat]:
        for position, card in enumerate(state.unseen[seat]):
            if card != GONE:
                return BLIND_ACTION | position
    for rank in range(min(top, EMPTY - 1), ACE, -1):
        if known[rank]:
            return all_of(known[rank], rank)
    return PLACE_ACTION | (1 << 4 if known[ACE] >= KNOWN else 1 << 8) if known[ACE] else TAKE_ACTION


def all_of(known: int, rank: int) -> int:
    """Return the play of every card of `rank` that the seat knows."""
    primary, revealed = divmod(known, KNOWN)
    return PLACE_ACTION | revealed << 8 | primary << 4 | rank


def add(state: PlatesState, seat: int) -> int:
    """Return the addition of every card of the rank that was turned up, with clearing if possible."""
    count = state.known[seat][state.top] // KNOWN
    action = ADD_ACTION | (count << 4 | state.top if count else 0)
    clears = count + 1 < SET <= state.run + count and state.top != ACE
    return action | CLEAR if clears else action
