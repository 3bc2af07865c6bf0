"""What the things on the table of Platinum Fish are and do."""

from __future__ import annotations

from scorebook_games.cards import RANKS
from scorebook_games.presentation.base import Explanation
from scorebook_games.presentation.sentences import Reason
from scorebook_games.presentation.text import gettext as _


def explanations() -> dict[str, Explanation]:
    match = Reason(_("Two cards of one rank are a match, which is laid down at once. Suits do not matter."), "PF-2")
    most = Reason(_("The game ends with the last card of the deck. The most matches win."), "PF-17")
    hidden = Reason(_("What was dealt is private; cards that everybody saw go into a hand are shown."), "PF-13")
    discard = Reason(_("Its top card may be taken if it makes a match at once."), "PF-5")
    draw = Reason(
        _("Its top card is drawn and shown. Without a match it is discarded, and two dice are rolled."),
        "PF-6",
    )
    dice = Reason(_("Each die and their sum name a rank: 1 is an ace, 11 a jack, 12 any face card."), "PF-8")
    fish = Reason(_("If the deck has cards of a rank that was rolled, one of them must be taken."), "PF-9")
    out = Reason(_("The deck has no card of this rank."), "PF-9")
    ask = Reason(_("If the deck has none of the ranks, one opponent may be asked for any rank."), "PF-10")
    empty = Reason(_("Whose hand runs out rolls a die for a new one, of at least three cards."), "PF-14")
    return {
        "seat": Explanation((most, ask)),
        "back": Explanation((hidden,), _("a face-down card")),
        **{f"card:{each}": Explanation((match,)) for each in RANKS[:13]},
        "deck": Explanation((draw,)),
        "discard": Explanation((discard,)),
        "die": Explanation((dice,)),
        "place:dice": Explanation((dice,), _("Dice")),
        "rank": Explanation((fish, ask), _("Rank")),
        "rank-out": Explanation((out, ask), _("Rank")),
        "place:hand": Explanation((empty,), _("Hand")),
        "place:matches": Explanation((most,), _("Matches")),
    }
