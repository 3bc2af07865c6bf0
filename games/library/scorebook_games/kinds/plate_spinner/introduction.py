"""A first game of Plate Spinner: two rounds, a bomb that goes off, how points are counted, and how it ends."""

from __future__ import annotations

from typing import Final

from scorebook_games.presentation.introduction import Introduction, Step
from scorebook_games.presentation.text import gettext_noop as _

INTRODUCTION: Final = Introduction(
    seed=1265,
    steps=(
        Step(
            text=_(
                "You are Martha, and Laura plays against you. The most points win, and plates bring them. In each "
                "round you spin your plates with dice, and then take new ones from the market in the middle."
            ),
        ),
        Step(
            text=_(
                "Spinning is a race; on GO you both rolled three dice. A plate spins when each of its places has a die "
                "that fits: Beaker wants a 1, Saucer an odd number. In this lesson Laura waits for you."
            ),
        ),
        Step(
            text=_("Put a die where it fits (PS-10): touch the die, then the plate. Which of your dice fits now?"),
            moves=("assign 3 A2 0.0",),
            mistake=_("4 is even, and no plate wants it. The 3 is odd: choose it, then Saucer."),
        ),
        Step(
            text=_("A die on a plate stays there. Roll the others again, as often as you like (PS-9)."),
            moves=("roll 44",),
            mistake=_("A 4 fits nowhere, and Beaker still wants a 1. Roll both dice again."),
        ),
        Step(
            text=_("A 1! Put it where it belongs."),
            moves=("assign 1 A1 0.0",),
            mistake=_("Beaker wants exactly a 1. Choose the 1, then Beaker."),
        ),
        Step(
            text=_(
                "Both plates spin. Be quick and grab the meeple, the figure in the middle (PS-11). It brings no "
                "points, but whoever has it chooses first from the market."
            ),
            moves=("grab",),
            mistake=_("All your plates are filled. Grab the meeple before Laura does."),
        ),
        Step(
            before=((1, "assign 2 B1 0.0"), (1, "assign 6 B2 0.0"), (1, "finish")),
            text=_(
                "The meeple is gone, so Laura could only put down what she had rolled (PS-12). Now the market: you "
                "take two things, then Laura the last one (PS-19)."
            ),
        ),
        Step(
            text=_(
                "Plunge has a bomb: if it breaks, so do all your others but the starting plates "
                "(PS-14). Leave it to Laura. Take Fern and the rim, Sparks: they bring three dice (PS-20)."
            ),
            moves=("draft P22", "draft R3"),
            mistake=_(
                "Leave Plunge and its bomb to Laura. Fern and Sparks together bring you three dice for the next round."
            ),
        ),
        Step(
            text=_(
                "A rim goes under a plate. The plate then wants more dice, is worth more, and counts for the colour of "
                "the rim, too (PS-21, PS-25). Touch Sparks, then Fern."
            ),
            moves=("attach R3 P22",),
            mistake=_("Choose the rim, then Fern. No rim goes under a starting plate."),
        ),
        Step(
            text=_("Fern has a rim now, and one more place to fill. Laura takes what is left."),
        ),
        Step(
            before=((1, "draft P17"),),
            text=_(
                "Round 2: all dice were rolled, and every plate must be spun again (PS-15). Three of your six dice "
                "help: Fern and its rim want at least 5 each. Put them down."
            ),
            moves=("assign 3 A2 0.0", "assign 5 P22 0.0", "assign 5 P22 1.0"),
            mistake=_("You need both 5s for Fern: one for the plate, one for its rim. The 3 is odd enough for Saucer."),
        ),
        Step(
            before=((1, "assign 2 B1 0.0"),),
            text=_("Only a 1 is missing. Roll your other dice."),
            moves=("roll 224",),
            mistake=_("Beaker still wants a 1. Roll all three dice: each is a chance."),
        ),
        Step(
            text=_("There it is: put it on Beaker."),
            moves=("assign 1 A1 0.0",),
            mistake=_("Put the 1 on Beaker. Starting plates must be filled first (PS-11)."),
        ),
        Step(
            text=_(
                "Everything spins: grab! Had you grabbed with Fern unfilled, it would break, and its points would be "
                "lost (PS-13)."
            ),
            moves=("grab",),
            mistake=_("Nothing is left to fill. Grab the meeple."),
        ),
        Step(
            before=((1, "assign 1 P17 0"), (1, "finish")),
            text=_(
                "Laura’s Plunge was not filled in time and broke. Its bomb found no other plate: starting plates never "
                "break (PS-13)."
            ),
        ),
        Step(
            text=_(
                "Now colours: one plate of a colour counts 1 point, two count 4, three 9, four 16 (PS-24). Fern, green "
                "with a red rim, counts for both. Take Ladybird and Meadow: then you have two of each."
            ),
            moves=("draft P6", "draft P29"),
            mistake=_(
                "The rim would bring points, but no die. Ladybird and Meadow bring a die each, and their colours count "
                "4 and 4."
            ),
        ),
        Step(
            before=((1, "draft R4"),),
            text=_(
                "You have 16 points: 8 are printed, 4 are for red and 4 for green. The most yellow plates bring 6 "
                "(PS-24)."
            ),
        ),
        Step(
            text=_(
                "How does it end? After about ten rounds the star plate turns up (PS-7), and a last round is played: "
                "whoever grabs the meeple gets it, for a colour of their choice (PS-23, PS-26). Then the most points "
                "win, not the fastest player (PS-27). Now you can play."
            ),
        ),
    ),
)
