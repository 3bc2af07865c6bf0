"""The state of a game of Palace, and the numbers that stand for things in it."""

from __future__ import annotations

from typing import Any, Final

from scorebook_games.cards import ACE, JOKER_RANK, TEN
from scorebook_games.contract import Options

HAND: Final = 6
PALACE: Final = 3  # the number of cards in each layer of a palace
REFILL: Final = 3  # the number of hand cards while the stack lasts (PA-15)
SET: Final = 4  # this many of a rank may be played on anything, and clear the pile in a row (PA-7, PA-13)
JOKERS: Final = 2  # in each pack

TWO: Final = 1
JOKER: Final = JOKER_RANK
RANK_COUNT: Final = 14
EMPTY: Final = 14  # the current card if there is none, and the top of an empty pile
WILDS: Final = (ACE, TWO, TEN, JOKER)
GONE: Final = -1  # a face-down card that has left its place
NOBODY: Final = -1
NO_CARD: Final = -1
FACE_DOWN: Final = "??"

BEFORE: Final = 0
CHOOSE: Final = 1  # everybody chooses an upper palace
PLAY: Final = 2
DRAWN: Final = 3  # a chanced card waits for its player's choice
LOOK: Final = 4  # a face-down card was played, and its player chooses which of the two others to look at
OVER: Final = 5
PHASES: Final = ("before", "choose", "play", "drawn", "look", "over")


def fitting(current: int, *, resets: bool, reverses: bool) -> list[int]:
    """Return the ranks that may be played on `current` (PA-5, PA-6, PA-10, PA-25)."""
    if current in (EMPTY, TWO) or (current == ACE and resets):
        return list(range(RANK_COUNT))
    if current == ACE:
        return [ACE, JOKER] if reverses else [ACE]
    return [rank for rank in range(RANK_COUNT) if rank >= current or rank in WILDS]


def fits_by_current(*, resets: bool, reverses: bool) -> list[list[int]]:
    """Return `fitting` for each current card. An empty row belongs to a rank that is never current."""
    return [fitting(current, resets=resets, reverses=reverses) for current in range(EMPTY + 1)]


FITS: Final = {
    (resets, reverses): fits_by_current(resets=resets, reverses=reverses)
    for resets in (False, True)
    for reverses in (False, True)
}


class PalaceState:
    """The state of a game.

    `hands[seat][rank]` holds the cards of this rank in the order in which they came, and `held[seat]` is the number of
    all hand cards. `under` has three places, `GONE` where a card has left. `unders` counts the rest, and `known` is set
    if the last of them was turned up in vain (PA-21). `upper` is empty before the choice and after it was taken up.
    `stack[at:]` is face down. `current` is the rank to be met, `EMPTY` for none. `top` and `run` are the rank on top of
    the pile and how many of it lie in a row. `must` is set while a 2 demands a play, and `owed` during a look whose
    player goes on.

    `thrower` ended the last turn with a play of `thrown`. Since then it has drawn `drawn` cards that were not thrown,
    and `fresh` of them may be thrown (PA-16). `uncalled` has a bit for each seat that can be called out (PA-24). `out`
    are the seats without cards, in order.
    """

    __slots__ = (
        "at",
        "calls",
        "chanced",
        "cleared",
        "current",
        "direction",
        "drawn",
        "fits",
        "fresh",
        "hands",
        "held",
        "known",
        "must",
        "options",
        "out",
        "owed",
        "phase",
        "pile",
        "play_on",
        "resets",
        "reverses",
        "run",
        "seats",
        "stack",
        "termination",
        "thrower",
        "thrown",
        "top",
        "turn",
        "turn_limit",
        "turned",
        "turns",
        "uncalled",
        "under",
        "unders",
        "upper",
    )

    def __init__(self, seats: int, options: Options) -> None:
        self.seats: int = seats
        self.options: Options = options
        self.resets: bool = options["ace"] == "reset"
        self.reverses: bool = options["joker"] == "reverse"
        self.play_on: bool = options["placings"] == "play_on"
        self.calls: bool = options["last_card_call"]
        self.turn_limit: int = options["turn_limit"]
        self.fits: list[list[int]] = FITS[self.resets, self.reverses]
        self.phase: int = BEFORE
        self.turn: int = NOBODY
        self.turns: int = 0
        self.direction: int = 1
        self.hands: list[list[list[int]]] = [[[] for _ in range(RANK_COUNT)] for _ in range(seats)]
        self.held: list[int] = [0] * seats
        self.upper: list[list[int]] = [[] for _ in range(seats)]
        self.under: list[list[int]] = [[] for _ in range(seats)]
        self.unders: list[int] = [0] * seats
        self.known: list[int] = [0] * seats
        self.stack: list[int] = []
        self.at: int = 0
        self.turned: list[int] = []
        self.pile: list[int] = []
        self.cleared: list[int] = []
        self.current: int = EMPTY
        self.top: int = EMPTY
        self.run: int = 0
        self.must: int = 0
        self.owed: int = 0
        self.chanced: int = NO_CARD
        self.thrower: int = NOBODY
        self.thrown: int = EMPTY
        self.drawn: int = 0
        self.fresh: int = 0
        self.uncalled: int = 0
        self.out: list[int] = []
        self.termination: str = ""

    def copy(self) -> PalaceState:
        """Return an independent copy. The stack is shared, because nothing changes it after the deal."""
        other = PalaceState(self.seats, self.options)
        other.phase, other.turn, other.turns, other.direction = self.phase, self.turn, self.turns, self.direction
        other.hands = [[cards[:] for cards in hand] for hand in self.hands]
        other.held = self.held[:]
        other.upper = [cards[:] for cards in self.upper]
        other.under = [cards[:] for cards in self.under]
        other.unders = self.unders[:]
        other.known = self.known[:]
        other.stack, other.at, other.turned = self.stack, self.at, self.turned
        other.pile = self.pile[:]
        other.cleared = self.cleared[:]
        other.current, other.top, other.run = self.current, self.top, self.run
        other.must, other.owed, other.chanced = self.must, self.owed, self.chanced
        other.thrower, other.thrown, other.drawn, other.fresh = self.thrower, self.thrown, self.drawn, self.fresh
        other.uncalled = self.uncalled
        other.out = self.out[:]
        other.termination = self.termination
        return other

    def plain(self) -> dict[str, Any]:
        """Return all facts of the state as plain data."""
        return {
            "seats": self.seats,
            "options": dict(self.options),
            "phase": PHASES[self.phase],
            "turn": self.turn,
            "turns": self.turns,
            "direction": self.direction,
            "hands": [[card for cards in hand for card in cards] for hand in self.hands],
            "held": self.held[:],
            "upper": [cards[:] for cards in self.upper],
            "under": [cards[:] for cards in self.under],
            "unders": self.unders[:],
            "known": self.known[:],
            "stack": self.stack[self.at :],
            "turned": self.turned[:],
            "pile": self.pile[:],
            "cleared": self.cleared[:],
            "current": self.current,
            "top": self.top,
            "run": self.run,
            "must": self.must,
            "owed": self.owed,
            "chanced": self.chanced,
            "thrower": self.thrower,
            "thrown": self.thrown,
            "drawn": self.drawn,
            "fresh": self.fresh,
            "uncalled": self.uncalled,
            "out": self.out[:],
            "termination": self.termination,
        }
