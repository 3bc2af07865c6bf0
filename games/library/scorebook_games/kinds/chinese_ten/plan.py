"""A plan for Chinese Ten."""

from __future__ import annotations

import math
from typing import Final

from games.programs.plans.worth import MoveScore, Observation

# Which rank takes each (CT-5), and what both together count (CT-1).
TAKERS: Final = dict(zip("A23456789TJQK", "987654321TJQK".replace("1", "A"), strict=True))
POINTS: Final = {rank: 20 if rank == "A" else 10 if rank in "TJQK" else 5 for rank in TAKERS}
PAIRS: Final = {rank: POINTS[rank] + POINTS[taker] for rank, taker in TAKERS.items()}


def chinese_ten(observation: Observation) -> MoveScore:
    """Take what counts most and what the others would take; where nothing can be taken, leave them little.

    A card on top of a spot tempts the others by what it would bring them, times the chance that one of them holds a
    card that takes it. That is reckoned from the cards not seen yet, all places for which are equally likely.
    """
    spots = observation["spots"]
    tops = [spot[-1][0] if spot else "" for spot in spots]
    hand = "".join([card[0] for card in observation["hand"]])
    seen = hand + "".join(["".join(cards) for cards in [*spots, *observation["piles"], [observation["flipped"] or ""]]])
    copies: int = 4 * observation["packs"]
    held = sum(observation["hand_counts"]) - len(hand)
    hidden = held + observation["deck"]
    elsewhere: float = 1 - held / hidden if hidden else 1.0  # the chance that a card not seen is in nobody's hand

    def temptation(rank: str) -> float:
        return PAIRS[rank] * (1.0 - math.pow(elsewhere, copies - seen.count(TAKERS[rank])))

    def worth(move: str) -> float:
        verb, *rest = move.split(" ")
        top = tops[int(rest[-1]) - 1] if rest[-1].isdigit() and (verb != "lay" or len(rest) == 2) else ""
        if verb in ("capture", "flip"):
            return PAIRS[top] + temptation(top)
        card = rest[0] if verb == "lay" else observation["flipped"][0]
        return (temptation(top) if top else 0.0) - temptation(card)

    return worth
