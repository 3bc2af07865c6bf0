"""What the search needs to know of a kind of game."""

from __future__ import annotations

from typing import Any, Protocol

from scorebook_games.contract import Draw, Paced, Rules
from scorebook_games.search.worlds import Worlds
from scorebook_games.search.worth import Observation


class Guide(Protocol):
    """The guide of one kind. It gets states of that kind and never changes them."""

    @property
    def rules(self) -> Rules[Any]:
        """The rules of the kind."""

    @property
    def paced(self) -> Paced[Any] | None:
        """The same rules if the kind has bundles, else None."""

    @property
    def iterations(self) -> int:
        """How many worlds are searched for a move with several choices. This is the whole budget; there is no clock."""

    @property
    def horizon(self) -> int:
        """After how many turns a world is valued as it stands. A turn is all moves that a seat makes in a row."""

    @property
    def widening(self) -> int:
        """How slowly the tree widens: a node's second move is tried after this many visits, the third after four times
        as many, and so on. Use a great value where luck matters much. With 0 there is no tree, and seats play by habit
        after the first move."""

    def worlds(self, observation: Observation) -> Worlds[Any]:
        """Return the worlds that agree with `observation`."""

    def candidates(self, state: Any, seat: int) -> list[int]:
        """Return the legal actions of `seat` that are worth trying, at least one. `seat` may act.

        The answer must not depend on what is hidden from `seat`.
        """

    def habit(self, state: Any, seat: int, draw: Draw) -> int:
        """Return a legal action that `seat`, which may act, would play without much thought. It must be fast."""

    def settled(self, state: Any) -> bool:
        """Return whether the search stops here: the game is over, or what follows does not depend on what came
        before."""

    def value(self, state: Any) -> list[float]:
        """Return what `state`, settled or not, is worth to each seat, from 0 to 1."""
