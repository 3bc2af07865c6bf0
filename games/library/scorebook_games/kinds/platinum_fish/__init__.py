"""Platinum Fish: pair up cards, fish with two dice, ask the others (rules.md, clauses PF-1 … PF-18).

`state` has the state of a game, `moves` numbers the moves, `decide` says what a move leads to, `apply` changes the
state by events, and `observations` makes those. `rules` puts them together as an engine.

Events
------
``["stacked", deck]``                          the shuffled pack, top card first (nobody sees it)
``["dealt", seat, die, laid, kept]``           a hand of `die` cards, at least 3: the matches laid down from it, pair by
                                               pair, and the cards that stay, which only their owner sees (PF-1, PF-14)
``["turned", card]``                           the top card of the deck starts the discard pile (PF-3)
``["drew", seat, card, mate]``                 from the deck; without a mate it goes on the discard pile (PF-6)
``["took", seat, card, mate]``                 the top card of the discard pile (PF-5)
``["rolled", seat, a, b, held]``               two dice, and which of the possible ranks the deck holds (PF-8, PF-9)
``["searched", seat, a, b, held]``             the same if only the roller sees this and the whole deck (PF-12)
``["fished", seat, card, mate]``               taken out of the deck; without a mate it stays in the hand (PF-9, PF-11)
``["asked", seat, other, rank, card, mate]``   `card` is the card that changes hands, −1 for none (PF-10)
``["declined", seat]``                         the seat asks nobody
``["shuffled", seat, deck]``                   `seat` asked for a shuffle; the deck's new order, top card first (PF-12)
``["passed", seat]``                           the seat asks for no shuffle
``["salvaged", seat, card, mate]``             a card from anywhere in the discard pile, for a new hand (PF-15)
``["stopped", seat]``                          the seat takes no more of the discard pile
``["ended", termination]``                     the last card left the deck (PF-17), or the turn limit

`mate` is the hand card that makes a match with the new one, −1 if there is none. Every match is laid down immediately,
so a hand never has two cards of one rank: it is stored as one place for each rank.
"""

from scorebook_games.kinds.platinum_fish.moves import ASK_FOR, DECLINE, DEMAND, FISH_FOR, TEXTS
from scorebook_games.kinds.platinum_fish.rules import PlatinumFish
from scorebook_games.kinds.platinum_fish.state import (
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
