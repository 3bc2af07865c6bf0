"""The sensible bot's plan for Platinum Fish."""

from __future__ import annotations

from typing import Final

from scorebook_games.search.worth import MoveScore, Observation

COPIES: Final = 8  # of each rank, in two packs
MATCH: Final = 100.0  # more than any number of cards is worth


def platinum_fish(observation: Observation) -> MoveScore:
    """Make every match there is, ask only for ranks in hand and the player most likely to hold one, and keep the hand
    small.

    A small hand is soon empty, and a new one brings its own matches and those of the whole discard pile. So the plan
    never asks for a card that would not match. Among fish that do not match, it prefers the rank with the most copies
    still to come. It always asks for a shuffle, which makes worthless what the roller has seen of the deck.
    """
    hand = {card[0] for card in observation["hand"]}
    laid = [card for pairs in observation["matches"] for pair in pairs for card in pair]
    shown = ["".join([card[0] for card in cards]) for cards in observation["shown"]]
    seen = "".join([card[0] for card in [*laid, *observation["discard"], *observation["hand"]]])
    others = [seat for seat in range(observation["seats"]) if seat != observation["seat"]]
    closed = {seat: observation["hand_counts"][seat] - len(shown[seat]) for seat in others}
    in_hands = sum(closed.values())
    of_others = [shown[seat] for seat in others]

    def worth(move: str) -> float:
        verb, *rest = move.split(" ")
        if verb == "fish":
            return MATCH if rest[0] in hand else unseen(rest[0], seen, of_others)
        if verb == "ask":
            seat, rank = int(rest[0]), rest[1]
            if rank not in hand:
                return -1.0
            if rank in shown[seat]:
                return 1.0
            # Unseen cards are anywhere, but not in a deck known to lack the rank.
            places = in_hands if rank in observation["ranks"] else in_hands + observation["deck"]
            return unseen(rank, seen, of_others) * closed[seat] / places if places else 0.0
        return 1.0 if move in ("draw discard", "shuffle") or verb == "salvage" else 0.0

    return worth


# Not within the plan, as in that of Chinese Ten.
def unseen(rank: str, seen: str, shown: list[str]) -> int:
    """Return how many copies of `rank` nobody has seen. Each of the others who has `shown` the rank counts as one."""
    return COPIES - seen.count(rank) - sum([rank in ranks for ranks in shown])
