"""A plan for Plates."""

from __future__ import annotations

from typing import Final

from games.programs.plans.worth import MoveScore, Observation

# How high a rank lies (PL-2), the Ace apart.
HEIGHTS: Final = {rank: float(height) for height, rank in enumerate("23456789TJQK", 2)}
BY_NEED: Final = 100.0  # more than any card or number of cards is worth


def plates(observation: Observation) -> MoveScore:
    """Clear the plate whenever that is possible, turn up unseen cards early, and place high cards before low ones.

    All cards of a rank go together, revealed ones first among equals. An Ace waits until nothing else can be placed, or
    until the round's last turns, when it goes first: it counts 50 and brings another turn. A blind card is tried
    rather than taking the plate: if it may not stand, the plate is taken and nothing is lost.
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
