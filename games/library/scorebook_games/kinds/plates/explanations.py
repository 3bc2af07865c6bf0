"""What the things on the table of Plates are and do."""

from __future__ import annotations

from scorebook_games.cards import RANKS
from scorebook_games.kinds.plates.rules import VALUES
from scorebook_games.presentation.base import Explanation
from scorebook_games.presentation.cards import rank
from scorebook_games.presentation.sentences import Reason
from scorebook_games.presentation.text import gettext as _


def explanations() -> dict[str, Explanation]:
    total = Reason(_("The lowest total over all rounds wins."), "PL-22")
    hidden = Reason(_("A primary hand is seen by its owner alone; unseen cards are seen by nobody."), "PL-4")
    return {
        "seat": Explanation((total,)),
        "back": Explanation((hidden,), _("a face-down card")),
        **{f"card:{each}": Explanation((placed(each), worth(each))) for each in RANKS[:13]},
        **plate(),
        **hands(),
    }


def placed(each: str) -> Reason:
    if each == "A":
        return Reason(_("It goes on anything and clears the plate; then its player goes on."), "PL-12")
    return Reason(_("It goes on its own rank or a higher one. Four at once clear the plate."), "PL-8")


def worth(each: str) -> Reason:
    points = VALUES[RANKS.index(each)]
    return Reason(
        _("Left over at the end of a round, it counts {points}. Few points are good.").format(points=points), "PL-5"
    )


def plate() -> dict[str, Explanation]:
    take = Reason(_("Whoever can place no card that they know takes the whole plate, and leads."), "PL-11")
    four = Reason(_("Who makes it four or more equal ones on top may clear the plate, and goes on."), "PL-13")
    first = Reason(_("It is empty: any card, or any number of one rank, is placed."), "PL-7")
    return {
        "dish": Explanation((take, four)),
        "now:empty": Explanation((first,)),
        **{f"now:{each}": Explanation((now(each),)) for each in RANKS[:13]},
        "place:cleared": Explanation((Reason(_("These cards are out of the round."), "PL-12"),), _("Cleared")),
        "place:aside": Explanation(
            (Reason(_("What was not dealt. Nobody looks at it before the game is over."), "PL-3"),), _("Set aside")
        ),
    }


def now(each: str) -> Reason:
    if each == "2":
        return Reason(_("Now only a 2 or an ace can be placed."), "PL-8")
    if each == "A":
        return Reason(_("Now any card can be placed: nothing is higher than an ace."), "PL-8")
    return Reason(
        _("Now a card of this rank or a lower one is placed ({rank} to 2), or an ace.").format(rank=rank(each)), "PL-8"
    )


def hands() -> dict[str, Explanation]:
    both = Reason(
        _("They lie open, and are placed like the cards of the primary hand, or together with them."), "PL-10"
    )
    blind = Reason(_("When the four revealed cards are played, one unseen card may be turned up and tried."), "PL-16")
    fails = Reason(_("If it may not stand, it is taken with the plate."), "PL-18")
    return {
        "place:hand": Explanation((Reason(_("Only its owner sees it."), "PL-4"),), _("Primary hand")),
        "place:revealed": Explanation((both,), _("Revealed cards")),
        "revealed": Explanation((both,)),
        "place:unseen": Explanation((blind, fails), _("Unseen cards")),
        "unseen": Explanation((blind, fails)),
    }
