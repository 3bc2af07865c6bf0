"""The sensible bot's plan for Chinese Ten."""

from __future__ import annotations

import math
from typing import Final

from scorebook_games.search.worth import MoveScore, Observation

# The rank that captures each rank (CT-5), and the points of both cards together (CT-1).
TAKERS: Final = dict(zip("A23456789TJQK", "987654321TJQK".replace("1", "A"), strict=True))
POINTS: Final = {rank: 20 if rank == "A" else 10 if rank in "TJQK" else 5 for rank in TAKERS}
PAIRS: Final = {rank: POINTS[rank] + POINTS[taker] for rank, taker in TAKERS.items()}


def chinese_ten(observation: Observation) -> MoveScore:
    """Prefer captures of many points and of cards that the others would capture.

    Without a capture, leave the others little.

    The danger of a card on top of a spot is the points it would bring the others, times the chance that one of them
    holds a card that captures it. The chance is computed from the unseen cards, which are equally likely to be in any
    hidden place.
    """
    spots = observation["spots"]
    tops = [spot[-1][0] if spot else "" for spot in spots]
    hand = "".join([card[0] for card in observation["hand"]])
    seen = hand + "".join(["".join(cards) for cards in [*spots, *observation["piles"], [observation["flipped"] or ""]]])
    copies: int = 4 * observation["packs"]
    held = sum(observation["hand_counts"]) - len(hand)
    hidden = held + observation["deck"]
    elsewhere: float = 1 - held / hidden if hidden else 1.0  # the chance that a given unseen card is in nobody's hand

    def worth(move: str) -> float:
        verb, _, rest = move.partition(" ")
        top = tops[int(rest[-1]) - 1] if rest[-1].isdigit() and (verb != "lay" or rest[1:]) else ""
        if verb in ("capture", "flip"):
            return PAIRS[top] + temptation(top, seen, copies, elsewhere)
        card = rest[0] if verb == "lay" else observation["flipped"][0]
        covered = temptation(top, seen, copies, elsewhere) if top else 0.0
        return covered - temptation(card, seen, copies, elsewhere)

    return worth


# Not within the plan: mypyc makes an inner function part of a reference cycle if it names another one of there, or one
# of Python's, such as `len`, that the outer function names too. Such a cycle would keep the observation.
def temptation(rank: str, seen: str, copies: int, elsewhere: float) -> float:
    """Return the danger of a card of `rank` on top of a spot."""
    return PAIRS[rank] * (1.0 - math.pow(elsewhere, copies - seen.count(TAKERS[rank])))
