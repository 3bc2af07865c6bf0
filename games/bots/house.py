"""The bots of the house. They are given what any bot is given: an observation and the texts of the legal moves.

`random` draws one of the legal moves. `sensible` has a simple plan for each kind of game, told at its function. Chance
comes only from the `rng` that is passed in (`games.engines.chance.bot_random`), so that a game goes on in the same way
after a worker's death.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

Observation = dict[str, Any]
Worth = Callable[[str], float]  # of a legal move; only the order of worths matters


class View(NamedTuple):
    """What a bot is told when it is asked for a move."""

    kind: str
    observation: Observation
    version: int


class HouseBot(Protocol):
    """A program that chooses among the legal moves of `kinds`. It remembers nothing from move to move."""

    @property
    def name(self) -> str:
        """By which `BOTS` and the rows of bot versions know it."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of game that it plays."""

    @property
    def looks(self) -> bool:
        """Whether it wants the observation; one that does not may be given an empty one."""

    def move(self, view: View, legal: list[str], rng: random.Random) -> str:
        """One of `legal`, which is not empty. The same view, moves and chance give the same answer."""


class Random:
    """Every legal move is equally likely."""

    name: Final = "random"
    kinds: Final = frozenset({"chinese_ten", "plates"})
    looks: Final = False

    def move(self, view: View, legal: list[str], rng: random.Random) -> str:  # noqa: ARG002  it looks at nothing
        """One of `legal`."""
        return legal[int(rng.random() * len(legal))]


class Sensible:
    """The legal move that its plan for the kind finds best; a draw among equals."""

    name: Final = "sensible"
    looks: Final = True

    def __init__(self, plans: dict[str, Callable[[Observation], Worth]]) -> None:
        self.plans = plans
        self.kinds = frozenset(plans)

    def move(self, view: View, legal: list[str], rng: random.Random) -> str:
        """One of `legal`."""
        if len(legal) == 1:
            return legal[0]
        worths = list(map(self.plans[view.kind](view.observation), legal))
        best = max(worths)
        equals = [move for move, worth in zip(legal, worths, strict=True) if worth == best]
        return equals[int(rng.random() * len(equals))] if len(equals) > 1 else equals[0]


# Chinese Ten: which rank takes each (CT-5), and what both together count (CT-1).
TAKERS: Final = dict(zip("A23456789TJQK", "987654321TJQK".replace("1", "A"), strict=True))
POINTS: Final = {rank: 20 if rank == "A" else 10 if rank in "TJQK" else 5 for rank in TAKERS}
PAIRS: Final = {rank: POINTS[rank] + POINTS[taker] for rank, taker in TAKERS.items()}


def chinese_ten(observation: Observation) -> Worth:
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


# Plates: how high a rank lies (PL-2), the Ace apart.
HEIGHTS: Final = {rank: float(height) for height, rank in enumerate("23456789TJQK", 2)}
BY_NEED: Final = 100.0  # more than any card or number of cards is worth


def plates(observation: Observation) -> Worth:
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


BOTS: Final[dict[str, HouseBot]] = {
    "random": Random(),
    "sensible": Sensible({"chinese_ten": chinese_ten, "plates": plates}),
}
