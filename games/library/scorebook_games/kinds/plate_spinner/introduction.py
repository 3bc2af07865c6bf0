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
                "middle, and the most points on plates win. But first your own plates must spin. A plate spins when "
                "each of its places has a die that fits. On GO, both of you rolled three dice. Your two starting "
                "plates want one each: Beaker a 1, Saucer an odd number. Be done before Laura; in this lesson she "
                "waits."
            ),
        ),
        Step(
            text=_("Put a die where it fits (PS-10): touch the die, then the plate. Which of your dice fits now?"),
            moves=("assign 3 A2 0.0",),
            mistake=_("4 is even, and no plate wants it. The 3 is odd: choose it, then Saucer."),
        ),
        Step(
            text=_("A die on a plate stays there. You may roll the others again, as often as you like (PS-9). Roll!"),
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
                "Both plates spin. Now be quick and grab the meeple, the little figure in the middle (PS-11). Whoever "
                "has it chooses first from the market."
            ),
            moves=("grab",),
            mistake=_("All your plates are filled. Grab the meeple before Laura does."),
        ),
        Step(
            before=((1, "assign 2 B1 0.0"), (1, "assign 6 B2 0.0"), (1, "finish")),
            text=_(
                "The meeple is gone, so Laura could only put down what she had rolled (PS-12). Now the market: you "
                "take two things, Laura the last one (PS-19). The blue plate, Plunge, has a bomb: if it breaks, so do "
                "all your others (PS-14). Take the green plate, Fern, which brings two dice, and the red rim, "
                "Sparks, which brings a neutral die: you use it like your own (PS-20)."
            ),
            moves=("draft P22", "draft R3"),
            mistake=_(
                "Leave Plunge and its bomb to Laura. Fern and Sparks together bring you three dice for the next round."
            ),
        ),
        Step(
            text=_(
                "A rim goes under a plate. The plate then wants more dice, is worth more, and counts for the "
                "colour of the rim (PS-21, PS-25). Put Sparks under Fern."
            ),
            moves=("attach R3 P22",),
            mistake=_("Choose the rim, then Fern. No rim goes under a starting plate."),
        ),
        Step(
            before=((1, "draft P17"),),
            text=_(
                "Round 2, and every plate must be spun again (PS-15). Fern wants a die of at least 5, and so does its "
                "rim. Three of your six dice help now. Put them down."
            ),
            moves=("assign 3 A2 0.0", "assign 5 P22 0.0", "assign 5 P22 1.0"),
            mistake=_("You need both 5s for Fern: one for the plate, one for its rim. The 3 is odd enough for Saucer."),
        ),
        Step(
            before=((1, "assign 2 B1 0.0"),),
            text=_("Laura is faster than before. Only the 1 is missing. Roll your other dice."),
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
                "Everything spins. Once the starting plates are filled, you may grab at any time: what is unfilled "
                "then breaks and is lost with its rim and its points, but its dice stay yours (PS-13, PS-15). Grab!"
            ),
            moves=("grab",),
            mistake=_("Nothing is left to fill. Grab the meeple."),
        ),
        Step(
            before=((1, "assign 1 P17 0"), (1, "finish")),
            text=_(
                "Laura’s Plunge was not filled in time and broke. Its bomb found no other plate: starting plates never "
                "break (PS-13). Now colours: one plate of a colour counts 1, two count 4, three 9, four 16 (PS-24). "
                "Fern, green with a red rim, counts for both colours. Take the two plates, Ladybird and Meadow: then "
                "you have two of each."
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
                "You have 16 points: 8 are printed, 4 are for red and 4 for green. In "
                "yellow, whoever has the most gets 6 (PS-24). When the star plate turns up, one last round is played "
                "for it, and it counts as a colour that its owner chooses (PS-23, PS-26). Now you can play."
            ),
        ),
    ),
)
