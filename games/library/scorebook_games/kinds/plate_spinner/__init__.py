"""Plate Spinner: spin all at once, then draft (rules.md, clauses PS-1 … PS-27).

`catalogue` reads the plates and rims, `fillings` knows which die fits where, `state` has the state of a game and
changes it by events, `rules` says what is legal and what it leads to, and `observations` makes those. Beats (PS-17)
are in `scorebook_games.gamelog.pacing`.

Events
------
``["set", version, hash, plates, rims]``           the catalogue, and both packs in their order (PS-7)
``["turned", plates, rims]``                       a market (PS-8); with the star plate 40 the last one (PS-23)
``["go", round, pools]``                           everybody rolls all dice (PS-9)
``["rolled", seat, dice, shown]``                  a pool of unassigned dice, and what they show now
``["assigned", seat, value, plate, group, place]`` a die to a group of a plate; place 0, or 1 + its slot
``["grabbed", seat, meeple]``                      a seat takes a meeple (PS-11)
``["finished", seat]``                             a seat stops without a meeple (PS-12, PS-16)
``["broke", seat, plates, rims, bombs]``           what broke as a seat left, and the unfilled bombs among it (PS-13)
``["drafted", seat, item, dice]``                  an item, and how many dice came with it (PS-20)
``["attached", seat, rim, plate]``                 a rim goes under a plate (PS-21)
``["discarded", seat, rims]``                      new rims for which no plate was free (PS-21)
``["coloured", seat, colour]``                     the star plate's colour (PS-26)
``["ended", termination]``                         the game has ended by its own rules (PS-23) or its turn limit

Items are the numbers of `catalogue`, colours 0 … 3 in the order red, blue, green, yellow. A pool counts the dice that
show 1 … 6 in 4 bits each, the ones lowest: 0x010201 is the dice 1 3 3 5.
"""

from scorebook_games.kinds.plate_spinner.rules import PlateSpinner
from scorebook_games.kinds.plate_spinner.state import State

__all__ = ["PlateSpinner", "State"]
