"""The sensible bot's plan for Palace."""

from __future__ import annotations

from typing import Final

from scorebook_games.search.worth import MoveScore, Observation

# What a card is worth keeping: ordinary cards by height, then the cards that go on anything.
STRENGTH: Final = {rank: float(strength) for strength, rank in enumerate("3456789JQKA2T*")}
WILDS: Final = frozenset("A2T*")
CLEARING: Final = frozenset("T*")
LONG: Final = 10  # a pile of this many cards is worth a wild card to avoid
# which wild card is played first if no other card is held
LAST_WILDS: Final = {"A": 0.0, "2": 10.0, "T": 30.0, "*": 30.0}
MUST: Final = 1000.0  # the value of a move that is made whenever it is legal
SURE: Final = 100.0  # more than any card is worth keeping


def palace(observation: Observation) -> MoveScore:
    """Get rid of the lowest cards, all of a rank at once, and keep wild cards until nothing else can be played.

    The three strongest cards go face up. The plan always plays a fourth card of a rank, which clears the pile, throws
    whenever it can, and calls out players who forgot to declare their last card. Of the wild cards it plays an Ace
    first, one at a time, because it costs the next player the pile. But it clears a long pile. From a hand of wild
    cards alone it plays tens and jokers first, then 2s, because two players who lead Aces at each other never end. If
    no card can be played, it takes a chance: this costs one card more than taking the pile and often avoids taking it.
    It does not do so against an Ace, which hardly any card answers.
    """
    pile = observation["pile"]
    current = observation["current"]
    run: int = observation["run"]
    top = pile[-1][0] if pile else ""
    bare = all(card[0] in WILDS for card in observation["seats"][observation["seat"]]["hand"])
    threatened = current == "A" and observation["options"]["ace"] == "threat"

    def worth(move: str) -> float:
        verb, _, rest = move.partition(" ")
        declared = rest.endswith(" last")
        cards = rest.removesuffix(" last")
        if verb == "palace":
            return sum([STRENGTH[rank] for rank in cards])
        if verb == "play" and cards != "drawn":
            clears = len(cards) + (run if cards[0] == top else 0) >= 4
            return played(cards, len(pile), bare=bare, clears=clears) + declared
        if verb in ("call", "throw"):
            return MUST + len(cards) + declared
        if verb == "chance":
            return -1.0 if threatened else 1.0
        return {"play": MUST, "turn": 2.0 + declared, "take": 0.0}.get(verb, -2.0)

    return worth


def played(cards: str, in_pile: int, *, bare: bool, clears: bool) -> float:
    """Return what playing cards of one rank on a pile of `in_pile` is worth. `bare`: the hand has wild cards alone."""
    rank, count = cards[0], len(cards)
    if rank not in WILDS:
        return SURE - STRENGTH[rank] + count / 10 + SURE * clears
    if bare:
        return SURE / 2 + LAST_WILDS[rank] + count
    if rank in CLEARING and in_pile >= LONG:
        return 2 * SURE - count
    return SURE / 2 + in_pile * (rank == "A") - STRENGTH[rank] - 10.0 * count
