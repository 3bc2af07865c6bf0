"""What the search has to know of a kind of game."""

from __future__ import annotations

from typing import Any, Protocol

from games.engines.base import Draw, Paced, Rules
from games.programs.plans.worth import Observation
from games.programs.search.worlds.world import Worlds


class Guide(Protocol):
    """One kind's guide. States are the kind's own; a guide never changes one."""

    @property
    def rules(self) -> Rules[Any]:
        """The rules of the kind."""

    @property
    def paced(self) -> Paced[Any] | None:
        """The same rules, if moves may go in bundles."""

    @property
    def iterations(self) -> int:
        """How many worlds are searched for a move with two choices or more: the whole budget, in place of a clock."""

    @property
    def horizon(self) -> int:
        """After how many turns, each of the moves that a seat makes in a row, a world is valued as it stands."""

    @property
    def widening(self) -> int:
        """How slowly the tree widens: a node's second move is tried after so many visits, the third after four times as
        many, and so on. Great where luck is. 0: there is no tree, seats play on by habit after the move."""

    def worlds(self, observation: Observation) -> Worlds[Any]:
        """The worlds that agree with `observation`."""

    def candidates(self, state: Any, seat: int) -> list[int]:
        """The legal actions of `seat`, which is to act, that are worth looking at: at least one.

        What is hidden from `seat` has no part in it.
        """

    def habit(self, state: Any, seat: int, draw: Draw) -> int:
        """What `seat`, which is to act, does when nobody thinks long: a legal action, quickly chosen."""

    def settled(self, state: Any) -> bool:
        """Whether to look no further: the game is over, or what comes next depends on nothing before it."""

    def value(self, state: Any) -> list[float]:
        """What `state`, settled or not, is worth to each seat, 0 … 1."""
