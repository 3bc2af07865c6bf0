"""The state of a game of Platinum Fish."""

from __future__ import annotations

from typing import Any, Final

MOST_SEATS: Final = 6
KINDS_OF_CARD: Final = 13
NONE: Final = -1
NOTHING: Final[list[int]] = []  # no dice, and no ranks to fish for

# The phases of a game. A seat may act only in the phases DRAW to SALVAGE.
SETTING_UP: Final = 0
WAITING: Final = 1  # inside a decision: a roll, a new hand or the end comes next
DRAW: Final = 2
FISH: Final = 3
ASK: Final = 4
SHUFFLE: Final = 5  # an opponent says whether the deck must be shuffled
SALVAGE: Final = 6
OVER: Final = 7
PHASES: Final = ("setting_up", "waiting", "draw", "fish", "ask", "shuffle", "salvage", "over")


def possible_ranks(a: int, b: int) -> list[int]:
    """Return the ranks that the dice `a` and `b` allow: 1 is an Ace, 11 a Jack, 12 any face card (PF-8)."""
    faces = [10, 11, 12] if a + b == 12 else [a + b - 1]
    return sorted({a - 1, b - 1, *faces})


# `possible_ranks` by 7 * a + b.
POSSIBLE: Final[list[list[int]]] = [possible_ranks(a, b) for a in range(7) for b in range(7)]


class State:
    """The state of a game.

    `deck` has its top card first, `discard` its top card last; `in_deck` and `in_discard` count their cards of each
    rank. `hands[seat][rank]` is the seat's card of this rank or NONE, and `held` counts its cards. Bit `rank` of
    `shown[seat]` is set if everybody has seen the card. `laid` has each seat's matches, card after card. `turn` is the
    seat on turn, and `actor` the seat that may act. `dealt` counts the hands that each seat has had. `dice` and `fish`,
    the allowed ranks that the deck holds, belong to this turn's roll; without dice there was no roll yet.

    What everybody knows of hidden cards: bit `rank` of `lacks[seat]` is set if the hand holds no such card, that of
    `asked[seat]` if its owner asked for the rank in vain while holding it, and that of `deck_lacks` if none is left in
    the deck (PF-9).
    """

    __slots__ = (
        "actor",
        "asked",
        "dealt",
        "deck",
        "deck_lacks",
        "dice",
        "discard",
        "fish",
        "hands",
        "held",
        "in_deck",
        "in_discard",
        "lacks",
        "laid",
        "phase",
        "player_searches",
        "seats",
        "shown",
        "termination",
        "turn",
        "turn_limit",
        "turns",
    )

    def __init__(self, seats: int, player_searches: bool, turn_limit: int) -> None:
        self.seats: int = seats
        self.player_searches: bool = player_searches
        self.turn_limit: int = turn_limit
        self.deck: list[int] = []
        self.in_deck: list[int] = [0] * KINDS_OF_CARD
        self.discard: list[int] = []
        self.in_discard: list[int] = [0] * KINDS_OF_CARD
        self.hands: list[list[int]] = [[NONE] * KINDS_OF_CARD for _ in range(seats)]
        self.held: list[int] = [0] * seats
        self.shown: list[int] = [0] * seats
        self.lacks: list[int] = [0] * seats
        self.asked: list[int] = [0] * seats
        self.deck_lacks: int = 0
        self.laid: list[list[int]] = [[] for _ in range(seats)]
        self.dealt: list[int] = [0] * seats
        self.turn: int = 0
        self.turns: int = 0
        self.actor: int = 0
        self.phase: int = SETTING_UP
        self.dice: list[int] = NOTHING
        self.fish: list[int] = NOTHING
        self.termination: str = ""

    def copy(self) -> State:
        """Return an independent copy. Dice and fish are shared, because they are replaced and never changed."""
        twin = State(self.seats, self.player_searches, self.turn_limit)
        twin.deck, twin.in_deck = self.deck[:], self.in_deck[:]
        twin.discard, twin.in_discard = self.discard[:], self.in_discard[:]
        twin.hands = [hand[:] for hand in self.hands]
        twin.held, twin.shown = self.held[:], self.shown[:]
        twin.lacks, twin.asked, twin.deck_lacks = self.lacks[:], self.asked[:], self.deck_lacks
        twin.laid = [cards[:] for cards in self.laid]
        twin.dealt = self.dealt[:]
        twin.turn, twin.turns, twin.actor, twin.phase = self.turn, self.turns, self.actor, self.phase
        twin.dice, twin.fish, twin.termination = self.dice, self.fish, self.termination
        return twin

    def plain(self) -> dict[str, Any]:
        """Return all facts of the state as plain data."""
        return {
            "seats": self.seats,
            "player_searches": self.player_searches,
            "turn_limit": self.turn_limit,
            "deck": self.deck[:],
            "in_deck": self.in_deck[:],
            "discard": self.discard[:],
            "in_discard": self.in_discard[:],
            "hands": [[card for card in hand if card != NONE] for hand in self.hands],
            "held": self.held[:],
            "shown": self.shown[:],
            "lacks": self.lacks[:],
            "asked": self.asked[:],
            "deck_lacks": self.deck_lacks,
            "laid": [cards[:] for cards in self.laid],
            "dealt": self.dealt[:],
            "turn": self.turn,
            "turns": self.turns,
            "actor": self.actor,
            "phase": PHASES[self.phase],
            "dice": self.dice[:],
            "fish": self.fish[:],
            "termination": self.termination,
        }


def first_of(cards: list[int], rank: int) -> int:
    """Return the first card of `rank` among `cards`, which has one."""
    for card in cards:
        if card >> 2 == rank:
            return card
    raise ValueError(f"None of the cards has the rank {rank}.")
