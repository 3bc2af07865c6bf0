"""The built-in bots. They get what any bot gets: an observation and the texts of the legal moves.

- `random` plays a random legal move.
- `sensible` follows a simple plan, which each kind of game has in its folder (`plan`).
- `strong` searches in worlds that agree with what it knows (`scorebook_games.search`). If a kind brings no guide for
  it, it finds worlds and moves by the rules alone (`search.general`).

All randomness comes from the `rng` passed in (`scorebook_games.chance.bot_random`), so another worker that goes on with
a game gets the same moves.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from scorebook_games.registry import KINDS
from scorebook_games.search.general import general_move
from scorebook_games.search.guide import Guide
from scorebook_games.search.ismcts import best_move
from scorebook_games.search.record import Record
from scorebook_games.search.worth import MoveScore, Observation


class MoveRequest(NamedTuple):
    """What a built-in bot gets when it is asked for a move. `version` counts the game's rule events.

    `record` has the events as the bot's seat was shown them. It is None for a bot that does not need it.
    """

    kind: str
    observation: Observation
    version: int
    record: Record | None = None


class BuiltinBot(Protocol):
    """A program that chooses among the legal moves of its `kinds`. It remembers nothing between moves."""

    @property
    def name(self) -> str:
        """The bot's name in `BUILTIN_BOTS` and in the rows of bot versions."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of game that the bot plays."""

    @property
    def looks(self) -> bool:
        """Whether the bot needs the observation. If not, it may get an empty one."""

    def recalls(self, kind: str) -> bool:
        """Return whether the bot needs the record of a game of this kind."""

    def move(self, view: MoveRequest, legal: list[str], rng: random.Random) -> str:
        """Return one of `legal`, which is not empty. The same view, moves and `rng` state give the same answer."""


class RandomBot:
    """Plays each legal move with the same probability."""

    name: Final = "random"
    kinds: Final = frozenset(KINDS)
    looks: Final = False

    def recalls(self, kind: str) -> bool:  # noqa: ARG002
        """Return False."""
        return False

    def move(self, view: MoveRequest, legal: list[str], rng: random.Random) -> str:  # noqa: ARG002  it looks at nothing
        """Return one of `legal`."""
        return legal[int(rng.random() * len(legal))]


class HeuristicBot:
    """Plays the legal move that its plan for the kind rates highest, a random one among equals."""

    name: Final = "sensible"
    looks: Final = True

    def __init__(self, plans: dict[str, Callable[[Observation], MoveScore]]) -> None:
        self.plans = plans
        self.kinds = frozenset(plans)

    def recalls(self, kind: str) -> bool:  # noqa: ARG002
        """Return False."""
        return False

    def move(self, view: MoveRequest, legal: list[str], rng: random.Random) -> str:
        """Return one of `legal`."""
        if len(legal) == 1:
            return legal[0]
        equals = self.equals(view, legal)
        return equals[int(rng.random() * len(equals))] if len(equals) > 1 else equals[0]

    def equals(self, view: MoveRequest, legal: list[str]) -> list[str]:
        """Return those of `legal` that the bot plays, each with the same probability."""
        worths = list(map(self.plans[view.kind](view.observation), legal))
        best = max(worths)
        return [move for move, worth in zip(legal, worths, strict=True) if worth == best]


class SearchBot:
    """Plays the move that a search in likely worlds finds best. A guide for the kind leads the search, if there is one.

    If no move is clearly better than the sensible bot's, it plays the sensible bot's.
    """

    name: Final = "strong"
    looks: Final = True

    def __init__(self, guides: dict[str, Guide], plans: dict[str, Callable[[Observation], MoveScore]]) -> None:
        self.guides = guides
        self.sensible = HeuristicBot(plans)
        self.kinds = frozenset(KINDS)

    def recalls(self, kind: str) -> bool:
        """Return whether the search has no guide to this kind."""
        return kind not in self.guides

    def move(self, view: MoveRequest, legal: list[str], rng: random.Random) -> str:
        """Return one of `legal`. A single legal move is returned without a search."""
        if len(legal) == 1:
            return legal[0]
        usual = self._usual(view, legal, rng)
        return self._searched(view, legal, usual, rng) or usual or BUILTIN_BOTS["random"].move(view, legal, rng)

    def searched(self, view: MoveRequest, legal: list[str], rng: random.Random) -> str | None:
        """Return the move that `move` returns if it comes from a search; None if no world was found to search in."""
        return self._searched(view, legal, self._usual(view, legal, rng), rng)

    def _usual(self, view: MoveRequest, legal: list[str], rng: random.Random) -> str | None:
        return self.sensible.move(view, legal, rng) if view.kind in self.sensible.kinds else None

    def _searched(self, view: MoveRequest, legal: list[str], usual: str | None, rng: random.Random) -> str | None:
        if usual and view.kind in self.guides:
            return best_move(self.guides[view.kind], view.observation, legal, usual, rng)
        return general_move(view.record, view.observation, legal, usual, rng) if view.record else None


PLANS: Final = {name: kind.bots.plan for name, kind in KINDS.items() if kind.bots.plan}
GUIDES: Final = {name: kind.bots.guide for name, kind in KINDS.items() if kind.bots.guide and name in PLANS}
STRONG: Final = SearchBot(GUIDES, PLANS)
SENSIBLE: Final = HeuristicBot(PLANS)
BUILTIN_BOTS: Final[dict[str, BuiltinBot]] = {
    "random": RandomBot(),
    "sensible": SENSIBLE,
    "strong": STRONG,
}


def quick_bot(kind: str) -> str:
    """Return the name of the best bot for a kind that answers at once."""
    return "sensible" if kind in PLANS else "random"
