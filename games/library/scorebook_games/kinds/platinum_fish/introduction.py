"""A first game of Platinum Fish: matches, the discard pile, fishing, and an empty hand."""

from __future__ import annotations

from typing import Final

from scorebook_games.presentation.introduction import Introduction, Step
from scorebook_games.presentation.text import gettext_noop as _

INTRODUCTION: Final = Introduction(
    seed=406,
    steps=(
        Step(
            text=_(
                "You are Martha, and Laura plays against you. Two cards of one rank are a match (PF-2), and the most "
                "matches win. A die said how many cards each of you was dealt, at least three (PF-1). One card lies "
                "open on the discard pile."
            ),
        ),
        Step(
            text=_(
                "Your turn begins with a draw: from the deck, or the top card of the discard pile, if it makes a match "
                "with your hand (PF-5). Which is better now?"
            ),
            moves=("draw discard",),
            mistake=_("You have a 4, and a 4 lies on the discard pile: a sure match. Draw from the discard pile."),
        ),
        Step(
            text=_(
                "A match, so your turn starts over (PF-7). The discard pile is empty now, so only the deck is left. "
                "Draw from it."
            ),
            moves=("draw deck",),
            mistake=_("Draw a card from the deck. Everybody sees it."),
        ),
        Step(
            text=_("A 3, another match! Your turn starts over once more. Draw again."),
            moves=("draw deck",),
            mistake=_("Draw a card from the deck."),
        ),
        Step(
            text=_(
                "A Jack makes no match and goes to the discard pile. Now two dice were rolled: 2 and 6. You must take "
                "from the deck a card of one of these ranks or of their sum: 2, 6 or 8 (PF-8, PF-9). You choose. Which "
                "helps you?"
            ),
            moves=("fish 2",),
            mistake=_("The one card in your hand is a 2. A 2 from the deck makes a match with it."),
        ),
        Step(
            text=_(
                "A match, and your hand is empty. So a die was rolled and you got three new cards (PF-14). Now you may "
                "take from the whole discard pile what makes a match (PF-15). Do you see one?"
            ),
            moves=("salvage J",),
            mistake=_("You have a Jack again, and your Jack of before lies on the discard pile. Take it."),
        ),
        Step(
            text=_("Nothing else lies there. Stop; your turn is over, because your hand had become empty (PF-16)."),
            moves=("stop",),
            mistake=_("You can only stop now."),
        ),
        Step(
            before=((1, "draw deck"), (1, "fish 4")),
            text=_(
                "Laura drew a 7 and took a 4 from the deck. Neither made a match. You saw both cards (PF-13): the 7 "
                "lies on the discard pile, the 4 is in her hand. Remember it!"
            ),
        ),
        Step(
            text=_(
                "Because later, when the deck has no card of the rolled ranks, you may ask a player for a card of any "
                "one rank. Who has one must give it to you (PF-10). In this game you would ask Laura for a 4 when you "
                "have one yourself."
            ),
        ),
        Step(
            text=_(
                "The game ends as soon as the last card has left the deck, and the most matches win (PF-17). You have "
                "four already. Now you can play."
            ),
        ),
    ),
)
