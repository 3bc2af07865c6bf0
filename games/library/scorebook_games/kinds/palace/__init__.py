"""Palace: be the first to get rid of every card (rules.md, clauses PA-1 … PA-25).

`state` has the state of a game, `moves` numbers the moves, `legal` lists the legal ones, `decide` says what a move
leads to, `apply` changes the state by events, and `observations` makes those. `rules` puts them together as an engine.

Events
------
``["dealt", under, hands, turned, card, stack]``      under palaces and hands by seat; wild cards that were turned up
                                                      and went back (PA-3); the card that starts the pile, or null;
                                                      the stack
``["chose", seat, cards]``                            three cards for the upper palace, hidden until all have chosen
``["laid", upper, leader]``                           the upper palaces are shown (PA-2), and who starts (PA-4)
``["played", seat, cards, clears, last]``             cards of one rank from the hand
``["drew", seat, cards]``                             the hand is refilled (PA-15)
``["raised", seat, cards]``                           the upper palace comes into the hand (PA-18)
``["threw", seat, cards, clears, last]``              a quick throw (PA-16)
``["chanced", seat, card]``                           the top card of the stack is drawn and looked at (PA-9)
``["risked", seat, card, clears]``                    the chanced card is played
``["kept", seat, count]``                             the chanced card is kept, and the pile of this many cards taken
``["took", seat, count]``                             the discard pile is taken (PA-8, PA-10)
``["turned", seat, position, card, clears, last]``    a face-down card is played (PA-19)
``["failed", seat, position, card, count, last]``     it may not be played: the pile of this many cards is taken with it
``["looked", seat, position, card]``                  a face-down card comes into the hand (PA-20)
``["called", seat, owner, count]``                    the owner did not declare the last card and takes the pile (PA-24)
``["ended", termination]``                            the game has ended by its own rules or its turn limit

`clears` says whether the play clears the pile, `last` whether "last card" was declared with it; both are 0 or 1.

A pass (PA-16) has no event: it changes nothing, and a version of its own would show the others that its player could
have thrown. A player passes by letting somebody else move.
"""

from scorebook_games.kinds.palace.apply import put
from scorebook_games.kinds.palace.decide import worst
from scorebook_games.kinds.palace.moves import ACTIONS, MOVES
from scorebook_games.kinds.palace.rules import Palace
from scorebook_games.kinds.palace.state import GONE, NO_CARD, WILDS, PalaceState

__all__ = ["ACTIONS", "GONE", "MOVES", "NO_CARD", "WILDS", "Palace", "PalaceState", "put", "worst"]
