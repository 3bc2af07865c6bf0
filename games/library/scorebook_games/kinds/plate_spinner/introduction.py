"""A first game of Plate Spinner: two rounds, a bomb that goes off, and how points are counted."""

from __future__ import annotations

from typing import Final

from scorebook_games.presentation.introduction import Introduction, Step
from scorebook_games.presentation.text import gettext_noop as _

INTRODUCTION: Final = Introduction(
    seed=1265,
    steps=(
        Step(
            text=_(
                "You are Martha, and Laura plays against you. Each round brings you plates from the market in the "
                "middle, and the most points on plates win. But first your own plates must spin: on GO, both of you "
                "have rolled three dice, and each of your two starting plates wants one of them, a 1 and an odd "
                "number. Be done before Laura is."
            ),
        ),
        Step(
            text=_("Put a die on a plate where it fits (PS-10). Which of your dice fits now?"),
            moves=("assign 3 A2 0.0",),
            mistake=_("4 is even, and no plate wants it. The 3 is odd: choose it, then the plate for an odd number."),
        ),
        Step(
            text=_("A die on a plate stays there. You may roll the others again, as often as you like (PS-9). Roll!"),
            moves=("roll 44",),
            mistake=_("A 4 fits nowhere, and one plate still wants a 1. Roll both dice again."),
        ),
        Step(
            text=_("A 1! Put it where it belongs."),
            moves=("assign 1 A1 0.0",),
            mistake=_("One plate wants exactly a 1. Choose the 1, then this plate."),
        ),
        Step(
            text=_(
                "Both plates spin. Now be quick and grab the meeple, the little figure in the middle (PS-11). Whoever "
                "has it chooses first when the plates and rims of the market are shared out."
            ),
            moves=("grab",),
            mistake=_("All your plates are filled. Grab the meeple before Laura does."),
        ),
        Step(
            before=((1, "assign 2 B1 0.0"), (1, "assign 6 B2 0.0"), (1, "finish")),
            text=_(
                "The last meeple is gone, so Laura could only put down what she had rolled (PS-12). Now the market: "
                "you take two things, Laura the last one (PS-19). Take the green plate, which brings two dice, and "
                "the red rim, which brings one more (PS-20)."
            ),
            moves=("draft P22", "draft R3"),
            mistake=_(
                "The blue plate has a bomb. If it breaks, all your other plates break too (PS-14). Leave it to Laura."
            ),
        ),
        Step(
            text=_(
                "A rim goes under a plate. The plate then wants more dice, is worth more, and also counts for the "
                "colour of the rim (PS-21, PS-25). Put the rim under the green plate."
            ),
            moves=("attach R3 P22",),
            mistake=_("Choose the rim, then the green plate. No rim goes under a starting plate."),
        ),
        Step(
            before=((1, "draft P17"),),
            text=_(
                "Round 2, and every plate must be spun again (PS-15). The green plate wants a die of at least 5, and "
                "so does its rim. Three of your six dice help you now. Put them down."
            ),
            moves=("assign 3 A2 0.0", "assign 5 P22 0.0", "assign 5 P22 1.0"),
            mistake=_(
                "You need both 5s for the green plate: one for the plate, one for its rim. The 3 is odd enough for "
                "the starting plate."
            ),
        ),
        Step(
            before=((1, "assign 2 B1 0.0"),),
            text=_("Laura is faster than before. Only the 1 is missing. Roll your other dice."),
            moves=("roll 224",),
            mistake=_("Your starting plate still wants a 1. Roll all three dice: each is a chance."),
        ),
        Step(
            text=_("There it is."),
            moves=("assign 1 A1 0.0",),
            mistake=_("Put the 1 on the starting plate that wants it. Starting plates must be filled first (PS-11)."),
        ),
        Step(
            text=_(
                "Everything spins. With a plate unfilled you could grab as well, but that plate would break (PS-13). "
                "Grab!"
            ),
            moves=("grab",),
            mistake=_("Nothing is left to fill. Grab the meeple."),
        ),
        Step(
            before=((1, "assign 1 P17 0"), (1, "finish")),
            text=_(
                "Laura’s plate was not filled in time and broke, with its bomb. Now colours: one plate of a colour "
                "counts 1, two count 4, three 9, four 16 (PS-24). Your green plate with its red rim counts for both "
                "colours. Take the two plates: then you have two of each."
            ),
            moves=("draft P6", "draft P29"),
            mistake=_(
                "The rim would bring points, but no die. The red and the green plate bring a die each, and their "
                "colours count 4 and 4."
            ),
        ),
        Step(
            before=((1, "draft R4"),),
            text=_(
                "You have 16 points: 8 are printed on your plates and the rim, 4 are for red and 4 for green. In "
                "yellow, whoever has the most gets 6 (PS-24). When the star plate turns up, one last round is played "
                "for it, and it counts as a colour that its owner chooses (PS-23, PS-26). Now you can play."
            ),
        ),
    ),
)
