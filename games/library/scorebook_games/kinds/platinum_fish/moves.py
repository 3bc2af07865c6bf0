"""The moves of Platinum Fish. Each is an index into `TEXTS`, which lists every move text."""

from __future__ import annotations

from typing import Final

from scorebook_games.cards import RANKS
from scorebook_games.kinds.platinum_fish.state import KINDS_OF_CARD, MOST_SEATS

DRAW_DECK: Final = 0
DRAW_DISCARD: Final = 1
FISH_FOR: Final = 2  # + rank
SALVAGE_FOR: Final = 15  # + rank
STOP: Final = 28
DECLINE: Final = 29
DEMAND: Final = 30
PASS: Final = 31
ASK_FOR: Final = 32  # + 13 * seat + rank
TEXTS: Final[list[str]] = [
    "draw deck",
    "draw discard",
    *[f"fish {rank}" for rank in RANKS[:KINDS_OF_CARD]],
    *[f"salvage {rank}" for rank in RANKS[:KINDS_OF_CARD]],
    "stop",
    "decline",
    "shuffle",
    "pass",
    *[f"ask {seat} {rank}" for seat in range(MOST_SEATS) for rank in RANKS[:KINDS_OF_CARD]],
]
ACTIONS: Final[dict[str, int]] = {text: action for action, text in enumerate(TEXTS)}
# The moves that name no rank, by the type of the event that they begin with.
PLAIN_MOVES: Final[dict[str, int]] = {
    "drew": DRAW_DECK,
    "took": DRAW_DISCARD,
    "declined": DECLINE,
    "shuffled": DEMAND,
    "passed": PASS,
    "stopped": STOP,
}


def ask_actions(seats: int, seat: int) -> list[int]:
    """Return every question that `seat` may ask, and the one that asks nobody (PF-10)."""
    others = [other for other in range(seats) if other != seat]
    return [DECLINE, *[ASK_FOR + KINDS_OF_CARD * other + rank for other in others for rank in range(KINDS_OF_CARD)]]


# `ask_actions` by the number of seats and the seat that asks.
ASKS: Final[list[list[list[int]]]] = [
    [ask_actions(seats, seat) for seat in range(seats)] for seats in range(MOST_SEATS + 1)
]
