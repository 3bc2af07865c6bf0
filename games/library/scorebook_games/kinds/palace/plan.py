"""A plan for Palace."""

from __future__ import annotations

from typing import Final

from games.programs.plans.worth import MoveScore, Observation

# What a card is worth keeping: ordinary ones by height, then those that go on anything.
STRENGTH: Final = {rank: float(strength) for strength, rank in enumerate("3456789JQKA2T*")}
WILDS: Final = frozenset("A2T*")
CLEARING: Final = frozenset("T*")
LONG: Final = 10  # cards in a pile that is worth a wild card to be rid of
LAST_WILDS: Final = {"A": 0.0, "2": 10.0, "T": 30.0, "*": 30.0}  # which goes first where no other card is held
MUST: Final = 1000.0  # what is done wherever it can be
SURE: Final = 100.0  # more than any card is worth keeping


def palace(observation: Observation) -> MoveScore:
    """Get rid of the lowest cards, all of a rank at once, and keep wild cards for when nothing else goes.

    The three strongest cards go face up. A fourth of a rank clears, a throw loses nothing, and somebody who forgot to
    say "last card" is called out. Of wild cards an Ace comes first, which costs the next player the pile, and one at a
    time; but a long pile is cleared, and a hand of wild cards alone goes tens and jokers first, then 2s, for two
    players who lead Aces at each other never end. Without a card that goes, a chance costs one card more than taking
    the pile and often saves taking it: not against an Ace, which hardly any card answers.
    """
    pile = observation["pile"]
    current = observation["current"]
    run: int = observation["run"]
    top = pile[-1][0] if pile else ""
    bare = all(card[0] in WILDS for card in observation["seats"][observation["seat"]]["hand"])
    threatened = current == "A" and observation["options"]["ace"] == "threat"

    def played(cards: str) -> float:
        rank, count = cards[0], len(cards)
        if rank in WILDS:
            if bare:
                return SURE / 2 + LAST_WILDS[rank] + count
            if rank in CLEARING and len(pile) >= LONG:
                return 2 * SURE - count
            return SURE / 2 + len(pile) * (rank == "A") - STRENGTH[rank] - 10.0 * count
        clears = count + (run if rank == top else 0) >= 4
        return SURE - STRENGTH[rank] + count / 10 + SURE * clears

    def worth(move: str) -> float:
        verb, _, rest = move.partition(" ")
        declared = rest.endswith(" last")
        cards = rest.removesuffix(" last")
        if verb == "palace":
            return sum([STRENGTH[rank] for rank in cards])
        if verb == "play" and cards != "drawn":
            return played(cards) + declared
        if verb in ("call", "throw"):
            return MUST + len(cards) + declared
        if verb == "chance":
            return -1.0 if threatened else 1.0
        return {"play": MUST, "turn": 2.0 + declared, "take": 0.0}.get(verb, -2.0)

    return worth
