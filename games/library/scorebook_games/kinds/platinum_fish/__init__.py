"""Platinum Fish: pair up cards, fish with two dice, ask the others (docs/rules/platinum_fish.md, clauses PF-1 … PF-18).

`state` is where a game stands, `moves` numbers what a player may write, `decide` says what a move leads to, `apply`
what events do, `views` what is seen; `rules` offers all of it as an engine does.

Events
------
``["stacked", deck]``                          the shuffled pack, top card first (nobody sees it)
``["dealt", seat, die, laid, kept]``           a hand of `die` cards, 3 at least: the matches laid down from it, pair by
                                               pair, and the cards that stay, which their owner alone sees (PF-1, PF-14)
``["turned", card]``                           the top card of the deck starts the discard pile (PF-3)
``["drew", seat, card, mate]``                 from the deck; without a mate it goes on the discard pile (PF-6)
``["took", seat, card, mate]``                 the top card of the discard pile (PF-5)
``["rolled", seat, a, b, held]``               two dice, and which of the possible ranks the deck holds (PF-8, PF-9)
``["searched", seat, a, b, held]``             the same where the roller alone sees that, and the whole deck (PF-12)
``["fished", seat, card, mate]``               taken out of the deck; without a mate it stays in the hand (PF-9, PF-11)
``["asked", seat, other, rank, card, mate]``   `card` is the one that changes hands, −1 if there is none (PF-10)
``["declined", seat]``                         asks nobody
``["shuffled", seat, deck]``                   `seat` asked for it: the deck's new order, top card first (PF-12)
``["passed", seat]``                           asks for no shuffle
``["salvaged", seat, card, mate]``             from anywhere in the discard pile, for a new hand (PF-15)
``["stopped", seat]``                          takes no more of it
``["ended", termination]``                     the last card left the deck (PF-17), or the turn limit

`mate` is the hand card that makes a match with the new one, −1 if there is none. Every match is laid down at once, so
a hand never has two cards of one rank: it is one place a rank.
"""

from games.engines.platinum_fish.moves import ASK_FOR, DECLINE, DEMAND, FISH_FOR, TEXTS
from games.engines.platinum_fish.rules import PlatinumFish
from games.engines.platinum_fish.state import (
    ASK,
    DRAW,
    FISH,
    KINDS_OF_CARD,
    NONE,
    OVER,
    PHASES,
    POSSIBLE,
    SHUFFLE,
    State,
)

__all__ = [
    "ASK",
    "ASK_FOR",
    "DECLINE",
    "DEMAND",
    "DRAW",
    "FISH",
    "FISH_FOR",
    "KINDS_OF_CARD",
    "NONE",
    "OVER",
    "PHASES",
    "POSSIBLE",
    "SHUFFLE",
    "TEXTS",
    "PlatinumFish",
    "State",
]
