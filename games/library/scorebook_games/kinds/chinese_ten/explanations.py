"""What the things on the table of Chinese Ten are and do."""

from __future__ import annotations

from scorebook_games.cards import RANKS, card_of
from scorebook_games.kinds.chinese_ten.rules import POINTS
from scorebook_games.presentation.base import Explanation
from scorebook_games.presentation.cards import rank
from scorebook_games.presentation.sentences import Reason
from scorebook_games.presentation.text import gettext as _

SUMS = "A23456789"  # the ranks that make ten with another


def explanations() -> dict[str, Explanation]:
    taken = Reason(_("Only the card on top of a spot can be taken. Then the card below is open."), "CT-6")
    empty = Reason(_("A card that takes nothing goes to the empty spot with the lowest number."), "CT-7")
    flip = Reason(_("After each card from a hand, its top card is turned up, and takes what it can."), "CT-8")
    must = Reason(_("If a card of the hand can take one, one must be taken. Otherwise any card is laid."), "CT-7")
    won = Reason(_("The cards that were taken, two at a time. Everybody may look at them."), "CT-12")
    return {
        "seat": Explanation((Reason(_("The most points in the scoring piles win."), "CT-13"),)),
        "back": Explanation((Reason(_("A hand is private, and the deck is hidden."), "CT-12"),), _("a face-down card")),
        "spot": Explanation((taken,)),
        "spot-empty": Explanation((empty,)),
        "place:deck": Explanation((flip,), _("Deck")),
        "place:hand": Explanation((must,), _("Hand")),
        "place:won": Explanation((won,), _("Scoring pile")),
        **{f"card:{each}": Explanation((worth(each), partner(each))) for each in RANKS[:13]},
        **{f"top:{each}": Explanation((taker(each),)) for each in RANKS[:13]},
    }


def worth(each: str) -> Reason:
    return Reason(_("Worth {points} points in a scoring pile.").format(points=POINTS[card_of(f"{each}S")]), "CT-1")


def partner_of(each: str) -> str:
    """Return the rank that takes a rank (CT-5)."""
    return SUMS[8 - SUMS.index(each)] if each in SUMS else each


def partner(each: str) -> Reason:
    other = rank(partner_of(each))
    if each in SUMS:
        return Reason(
            _("{rank} and {other} make ten, so they take each other.").format(rank=rank(each), other=other), "CT-5"
        )
    return Reason(_("It takes, and is taken by, its own rank alone: {rank}.").format(rank=other), "CT-5")


def taker(each: str) -> Reason:
    return Reason(_("Now the spot can be taken by: {rank}.").format(rank=rank(partner_of(each))), "CT-5")
