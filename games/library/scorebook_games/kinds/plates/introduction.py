"""A first game of Plates: equal or lower, clearing the plate, the unseen cards, and how it ends."""

from __future__ import annotations

from typing import Final

from scorebook_games.presentation.introduction import Introduction, Step
from scorebook_games.presentation.text import gettext_noop as _

INTRODUCTION: Final = Introduction(
    seed=3,
    options={"rounds": 1},
    steps=(
        Step(
            text=_(
                "You are Martha, and Laura plays against you. The fewest points win. You have two hands: ten cards "
                "that only you see, and eight on the table, four of them open and four that nobody has seen (PL-4)."
            ),
        ),
        Step(
            text=_(
                "Get rid of them all by placing them on the plate in the middle. What is left at the end counts "
                "against you: an Ace 50, a King 13, a Queen 12, a Jack 11, and others what is printed (PL-5)."
            ),
        ),
        Step(
            text=_(
                "The plate is empty, so you may place any cards of one rank (PL-7). They may come from both hands at "
                "once (PL-10). You have a ten in each: place both."
            ),
            moves=("place T/T",),
            mistake=_("Choose the ten in your hand and the open ten on the table, then place both."),
        ),
        Step(
            before=((1, "place 7"),),
            text=_(
                "Laura placed a 7. What follows must be equal to the top card or lower (PL-8). Aces are the exception: "
                "they go on anything, clear the plate, and you play again (PL-9, PL-12). Three Aces lie open on your "
                "side. Place all three."
            ),
            moves=("place /AAA",),
            mistake=_(
                "An Ace that is left costs 50 points, and your open cards must be gone before you may turn an unseen "
                "one. Place all three Aces."
            ),
        ),
        Step(
            text=_("The plate is clear, and it is your turn again. Get rid of many high cards at once."),
            moves=("place JJJ",),
            mistake=_("You have three Jacks. On an empty plate you may place all of them together."),
        ),
        Step(
            before=((1, "place T"),),
            text=_(
                "Laura placed a ten. Your open cards are gone, so from now on you may also turn up one of your unseen "
                "cards, even if you could place a known one (PL-16). Turn up the third one."
            ),
            moves=("blind 2",),
            mistake=_("Your known cards can wait. Turn the third of your unseen cards."),
        ),
        Step(
            text=_(
                "A 9: that is lower than the ten, so it stays. You may now add cards of the same rank from your hand "
                "(PL-17). You have no 9, so add no card."
            ),
            moves=("add",),
            mistake=_("You can only add 9s, and you have none. Add no card."),
        ),
        Step(
            before=((1, "place 5"),),
            text=_(
                "Had it been higher than the ten, you would have had to take it with the whole plate (PL-18). Who can "
                "place no known card takes the plate, too, and then leads anything (PL-11). Laura has placed a 5. "
                "Place your highest card that may follow."
            ),
            moves=("place 5",),
            mistake=_("5 may follow on 5, because equal cards are allowed. Low cards can follow later, too."),
        ),
        Step(
            text=_(
                "Four or more of one rank in one play also clear the plate (PL-12). If yours make four only with those "
                "that lie on top, you choose whether to clear (PL-13)."
            ),
        ),
        Step(
            text=_(
                "Once somebody has no cards in either hand, everybody else has one more turn (PL-20), and what is left "
                "is counted (PL-21). After some rounds, usually three, the fewest points win (PL-22). Now you can play."
            ),
        ),
    ),
)
