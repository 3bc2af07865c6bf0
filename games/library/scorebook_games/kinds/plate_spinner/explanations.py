"""What the things on the table of Plate Spinner are and do."""

from __future__ import annotations

from scorebook_games.presentation.base import Explanation
from scorebook_games.presentation.sentences import Reason
from scorebook_games.presentation.text import gettext as _


def explanations() -> dict[str, Explanation]:
    win = Reason(_("The most points win: those on plates and rims, and those for the colours."), "PS-24")
    return {"seat": Explanation((win,)), **plates(), **needs(), **colours(), **middle()}


def plates() -> dict[str, Explanation]:
    spin = Reason(
        _("Each place needs a die. If one is free when its owner grabs a meeple or finishes, the plate breaks."),
        "PS-13",
    )
    bomb = Reason(_("It has a bomb: if it breaks, all other plates of its owner break, too."), "PS-14")
    start = Reason(_("A starting plate: it never breaks, but must be filled before a meeple is grabbed."), "PS-11")
    rim = Reason(
        _("A rim lies under one plate for the rest of the game. Its places must be filled with those of the plate."),
        "PS-21",
    )
    star = Reason(_("The star plate needs no dice. Its owner chooses the colour for which it counts."), "PS-26")
    dice = Reason(_("Whoever takes it gets the dice that it shows, up to ten."), "PS-20")
    neutral = Reason(
        _("Whoever takes it gets a neutral die, if one is left. It comes on top of the ten player dice."), "PS-20"
    )
    return {
        "spun": Explanation((spin,)),
        "bomb": Explanation((bomb,)),
        "starting": Explanation((start,)),
        "rim": Explanation((rim,)),
        "star": Explanation((star,)),
        "brings": Explanation((dice,)),
        "brings-neutral": Explanation((neutral,)),
    }


def needs() -> dict[str, Explanation]:
    slots = Reason(_("Each free place takes one die that fits what is written there."), "PS-4")
    same = Reason(_("“The same”: all dice of this group show one number."), "PS-4")
    run = Reason(_("“In a run”: the dice of this group show numbers that follow each other."), "PS-4")
    total = Reason(_("“Sum”: the dice of this group together show the number or more."), "PS-4")
    return {
        "need:slots": Explanation((slots,)),
        "need:same": Explanation((same,)),
        "need:run": Explanation((run,)),
        "need:sum": Explanation((total,)),
    }


def colours() -> dict[str, Explanation]:
    square = Reason(
        _("Red, blue and green plates count for each colour 1, 4, 9, 16, 25 or 36 points for 1 to 6 of them."), "PS-24"
    )
    yellow = Reason(_("Whoever has the most yellow plates gets 6 points."), "PS-24")
    return {"colour:square": Explanation((square,)), "colour:yellow": Explanation((yellow,))}


def middle() -> dict[str, Explanation]:
    roll = Reason(
        _("Free dice may be rolled again, as often as one likes. On a plate they stay until the round is over."), "PS-9"
    )
    grab = Reason(
        _("Who has filled all plates, or gives up those that are not, grabs the lowest one that is left."), "PS-11"
    )
    order = Reason(_("Whoever has number 1 takes first from the market."), "PS-19")
    every = Reason(_("When a round is over, all dice come back, and every plate is spun again."), "PS-15")
    last = Reason(_("Somewhere in it lies the star plate. When it is turned up, the last round begins."), "PS-23")
    gone = Reason(_("Broken plates and rims do not come back."), "PS-13")
    market = Reason(
        _("After spinning, everybody takes two things from here, and the last one takes what is left."), "PS-19"
    )
    return {
        "die": Explanation((roll,)),
        "meeple": Explanation((grab, order)),
        "place:meeple": Explanation((order,), _("Meeple")),
        "place:plates": Explanation((every,), _("Plates")),
        "place:pool": Explanation((roll,), _("Free dice")),
        "place:supply": Explanation((last,), _("Still to come")),
        "place:broken": Explanation((gone,), _("Broken or discarded")),
        "place:market": Explanation((market,), _("Market")),
    }
