"""A first game of Palace: the upper palace, equal or higher, and wild cards."""

from __future__ import annotations

from typing import Final

from scorebook_games.presentation.introduction import Introduction, Step
from scorebook_games.presentation.text import gettext_noop as _

INTRODUCTION: Final = Introduction(
    seed=14,
    steps=(
        Step(
            text=_(
                "You are Martha, and Laura plays against you. Whoever first gets rid of all cards wins (PA-22): first "
                "of the hand, then of three open cards, the upper palace, then of the three below it that nobody has "
                "seen, the under palace."
            ),
        ),
        Step(
            text=_(
                "First choose three of your six cards for the upper palace (PA-2). You will need them at the end, when "
                "no card can be drawn any more. Aces, 2s, 10s and jokers are wild and go on anything (PA-5). Which are "
                "your strongest?"
            ),
            moves=("palace A22",),
            mistake=_("Your Ace and both 2s are wild. Keep these three for the end."),
        ),
        Step(
            before=((1, "palace 29Q"), (1, "take")),
            text=_(
                "The worse upper palace starts: Laura’s, with one wild card (PA-4). A card must be equal to the top "
                "card of the pile or higher (PA-6). She had nothing for the 7 and took it into her hand (PA-8)."
            ),
        ),
        Step(
            text=_(
                "Now the pile is empty, so you may play anything (PA-6). Which card do you want to be rid of first?"
            ),
            moves=("play 3",),
            mistake=_("A 3 is the hardest card to play later. Play it now."),
        ),
        Step(
            before=((1, "play 3"),),
            text=_(
                "You drew an Ace, because while the stack lasts you always have three cards (PA-15). Laura played a 3. "
                "Play equal or higher, with the lowest card that will do."
            ),
            moves=("play 9",),
            mistake=_("9 is high enough. Keep the Queen and the Ace for harder times."),
        ),
        Step(
            before=((1, "take"),),
            text=_("Laura had to take all three cards. You lead again. You drew a Jack: it is your lowest card."),
            moves=("play J",),
            mistake=_("Play the Jack. It is lower than the Queen, and the Ace is worth keeping."),
        ),
        Step(
            before=((1, "take"),),
            text=_("Again she had nothing high enough and took the card. You drew a 6. Lead your lowest card."),
            moves=("play 6",),
            mistake=_("The 6 is your lowest card, and low cards are hard to play later."),
        ),
        Step(
            before=((1, "play J"),),
            text=_(
                "Laura played a Jack. Now use the Ace: it goes on anything, and the next player must take the whole "
                "pile, unless they have an Ace themselves (PA-10)."
            ),
            moves=("play A",),
            mistake=_("You could play something else, too. But with the Ace, Laura gets all these cards."),
        ),
        Step(
            before=((1, "take"),),
            text=_("It worked: Laura took everything. You lead, and you have drawn another 6."),
            moves=("play 6",),
            mistake=_("The 6 is your lowest card. The 10 is wild: keep it for a pile that you want to be rid of."),
        ),
        Step(
            before=((1, "play 9"),),
            text=_(
                "Laura played a 9. A 10 sends itself and the whole pile out of the game, and you play again (PA-11). "
                "Play it now."
            ),
            moves=("play T",),
            mistake=_("The 10 takes the whole pile out of the game, and then you may lead anything."),
        ),
        Step(
            text=_("The pile is gone, and it is still your turn: play again (PA-14)."),
            moves=("play 8",),
            mistake=_("The pile is empty, so you may play anything. The 8 is your lowest card."),
        ),
        Step(
            text=_(
                "Two more cards: after a 2 you go on in the same turn (PA-12), and four of a rank in a row clear the "
                "pile (PA-13). And if you draw a card of the rank that you have just played, you may throw it at once "
                "(PA-16)."
            ),
        ),
        Step(
            text=_(
                "While there is a stack, you may also chance its top card instead of playing. If it fits you may play "
                "it, else you take it and the pile (PA-9)."
            ),
        ),
        Step(
            text=_(
                "When the stack is gone and your hand is empty, you take up the upper palace (PA-18). After it you "
                "turn up the under palace, one unseen card a turn (PA-19). The first with no cards at all wins "
                "(PA-22). Now you can play."
            ),
        ),
    ),
)
