"""The moves of Palace, as text and as ints.

A play is ``rank << 5 | count - 1``. A throw is the same with `THROW`. Both have `LAST` added if they declare the last
card. `all_moves` has the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Final

from scorebook_games.cards import RANKS
from scorebook_games.kinds.palace.state import PALACE, RANK_COUNT, SET

MOST: Final = 24  # six packs have this many cards of a rank
LAST: Final = 1 << 9
THROW: Final = 1 << 10
TURN: Final = 1 << 11  # | position
CALL: Final = 1 << 12  # | seat
TAKE: Final = 1 << 13
CHANCE: Final = TAKE + 1
PLAY_DRAWN: Final = TAKE + 2
KEEP: Final = TAKE + 3
PASS: Final = TAKE + 4
CHOICE: Final = 1 << 14  # | index in TRIPLES

TRIPLES: Final = list(combinations_with_replacement(range(RANK_COUNT), PALACE))
TRIPLE_ACTIONS: Final = {triple: CHOICE | index for index, triple in enumerate(TRIPLES)}


def all_moves() -> dict[str, int]:
    """Return every text that is a move of Palace, with its action."""
    moves = {"take": TAKE, "chance": CHANCE, "play drawn": PLAY_DRAWN, "keep": KEEP, "pass": PASS}
    for rank in range(RANK_COUNT):
        for count in range(1, MOST + 1):
            for verb, kind in (("play", 0), ("throw", THROW)):
                text = f"{verb} {RANKS[rank] * count}"
                moves[text] = kind | rank << 5 | count - 1
                moves[f"{text} last"] = kind | LAST | rank << 5 | count - 1
    for position in range(PALACE):
        moves[f"turn {position}"] = TURN | position
        moves[f"turn {position} last"] = TURN | LAST | position
    for seat in range(6):
        moves[f"call {seat}"] = CALL | seat
    for triple, action in TRIPLE_ACTIONS.items():
        moves["palace " + "".join([RANKS[rank] for rank in triple])] = action
    return moves


ACTIONS: Final = all_moves()
MOVES: Final = {action: text for text, action in ACTIONS.items()}
# The plays by rank and number held: of one card and more in the first table, of four and more in the second (PA-7).
PLAYS: Final = [[[rank << 5 | k for k in range(n)] for n in range(MOST + 1)] for rank in range(RANK_COUNT)]
SETS: Final = [[[rank << 5 | k for k in range(SET - 1, n)] for n in range(MOST + 1)] for rank in range(RANK_COUNT)]


def choice_of(cards: Sequence[int]) -> int:
    """Return the action that chooses `cards` as an upper palace."""
    first, second, third = sorted([card >> 2 for card in cards])
    return TRIPLE_ACTIONS[first, second, third]
