"""The sensible bot's plan for Plates."""

from __future__ import annotations

from typing import Final

from scorebook_games.search.worth import MoveScore, Observation

# The height of a rank (PL-2), except the Ace.
HEIGHTS: Final = {rank: float(height) for height, rank in enumerate("23456789TJQK", 2)}
BY_NEED: Final = 100.0  # more than any card or number of cards is worth


def plates(observation: Observation) -> MoveScore:
    """Clear the plate whenever possible, turn up unseen cards early, and place high cards before low ones.

    All cards of a rank are placed together, revealed ones first among equals. An Ace counts 50 and brings another turn:
    it waits until nothing else can be placed, but in the round's last turns it goes first. A blind card is tried before
    the plate is taken: if it may not stand, the plate is taken anyway.
    """
    last = observation["out"] is not None

    def worth(move: str) -> float:
        verb, _, rest = move.partition(" ")
        if verb == "blind":
            return BY_NEED / 2
        if verb == "take":
            return 0.0
        cards = rest.strip("!").replace("/", "")
        count = len(cards)
        choice = BY_NEED if rest.endswith("!") else 0.0
        if verb == "add":
            return choice + count
        rank = cards[0]
        if rank == "A":
            return 2 * BY_NEED + count if last else 1 / count
        height = HEIGHTS[rank]
        shed = height * count if last else height + count / 2
        return (BY_NEED if count >= 4 else choice) + shed + ("/" in rest) / 10

    return worth
