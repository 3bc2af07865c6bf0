"""A first game of Chinese Ten: what captures what, flipping, laying down, and covering."""

from __future__ import annotations

from typing import Final

from scorebook_games.presentation.introduction import Introduction, Step
from scorebook_games.presentation.text import gettext_noop as _

INTRODUCTION: Final = Introduction(
    seed=26,
    options={"packs": 1},
    steps=(
        Step(
            text=_(
                "You are Martha, and Laura plays against you. You capture cards, and the most points win. Around the "
                "deck are four spots. A card of your hand captures the top card of a spot if the two add to ten; an "
                "Ace is 1. Tens, Jacks, Queens and Kings are captured by the same rank only (CT-5)."
            ),
        ),
        Step(
            text=_(
                "Both cards come to you and are points: an Ace is 20, each card from 10 to King 10, all others 5 "
                "(CT-1). Which capture brings you the most now? Touch your card, then the one that it captures."
            ),
            moves=("capture 9 1",),
            mistake=_("9 and Ace add to ten, and an Ace is worth 20: together 25. Choose the 9, then the Ace."),
        ),
        Step(
            before=((1, "capture A 3"),),
            text=_(
                "After each capture, the top card of the deck is flipped. Yours took nothing, so it lay down in the "
                "empty spot (CT-9). Laura then took a 9 with an Ace. Your turn: which capture brings the most?"
            ),
            moves=("capture Q 2",),
            mistake=_("Two Queens are 20 points. The 7 and the 8 would bring 10 each."),
        ),
        Step(
            text=_(
                "Lucky: your flipped Ace took the 9, so you flipped again, and the 3 took the 7. You flip until a card "
                "takes nothing (CT-8). That was a Jack."
            ),
        ),
        Step(
            before=((1, "capture 2 3"),),
            text=_(
                "Laura took the 8 with a 2. Now you have nothing for a Jack or a 9. Whoever can capture must; whoever "
                "cannot lays a card into an empty spot (CT-7). You hold all four tens, so nobody can capture one. Lay "
                "a ten."
            ),
            moves=("lay T",),
            mistake=_("Whatever you lay, Laura may capture, but not a ten: all four are in your hand."),
        ),
        Step(
            before=((1, "lay 2 3"), (1, "cover 2")),
            text=_(
                "Laura could not capture, and no spot was empty, so she covered your ten with a 2, and the 9 with a "
                "King that she flipped. Only the top card of a spot can be captured; when it goes, the one below is "
                "open again (CT-6). Capture the 2 that lies on your ten."
            ),
            moves=("capture 8 3",),
            mistake=_("8 and 2 add to ten. There are two 2s: take the one on spot 3, so that your ten is open again."),
        ),
        Step(
            text=_(
                "You flipped a 4. It takes nothing, and no spot is empty, so it must cover a card of your choice "
                "(CT-9). Cover a card that you cannot capture yourself."
            ),
            moves=("cover 1",),
            mistake=_("You have Kings for the King and tens for the ten. You have no Jack: cover the Jack on spot 1."),
        ),
        Step(
            text=_(
                "So it goes on until all hands are empty, or the deck and all spots are (CT-11). Cards in hands and on "
                "spots count for nobody (CT-12), and the most points win. You lead by 90 to 35. Now you can play."
            ),
        ),
    ),
)
