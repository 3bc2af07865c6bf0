"""The built-in bots. They are given what any bot is given: an observation and the texts of the legal moves.

`random` draws one of the legal moves. `sensible` has a simple plan for each kind of game (`games.programs.plans`).
`strong` searches in worlds that agree with what it is told (`games.programs.search`). Chance comes only from the `rng`
that is passed in (`games.engines.chance.bot_random`), so that a game goes on in the same way after a worker's death.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from games.programs.plans.chinese_ten import chinese_ten
from games.programs.plans.palace import palace
from games.programs.plans.plate_spinner import plate_spinner
from games.programs.plans.plates import plates
from games.programs.plans.platinum_fish import platinum_fish
from games.programs.plans.worth import MoveScore, Observation
from games.programs.search.guide import Guide
from games.programs.search.guides.chinese_ten import ChineseTenGuide
from games.programs.search.guides.palace import PalaceGuide
from games.programs.search.guides.plate_spinner import PlateSpinnerGuide
from games.programs.search.guides.plates import PlatesGuide
from games.programs.search.guides.platinum_fish import PlatinumFishGuide
from games.programs.search.ismcts import best_move


class MoveRequest(NamedTuple):
    """What a bot is told when it is asked for a move."""

    kind: str
    observation: Observation
    version: int


class BuiltinBot(Protocol):
    """A program that chooses among the legal moves of `kinds`. It remembers nothing from move to move."""

    @property
    def name(self) -> str:
        """By which `BUILTIN_BOTS` and the rows of bot versions know it."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of game that it plays."""

    @property
    def looks(self) -> bool:
        """Whether it wants the observation; one that does not may be given an empty one."""

    def move(self, view: MoveRequest, legal: list[str], rng: random.Random) -> str:
        """One of `legal`, which is not empty. The same view, moves and chance give the same answer."""


class RandomBot:
    """Every legal move is equally likely."""

    name: Final = "random"
    kinds: Final = frozenset({"chinese_ten", "palace", "plate_spinner", "plates", "platinum_fish"})
    looks: Final = False

    def move(self, view: MoveRequest, legal: list[str], rng: random.Random) -> str:  # noqa: ARG002  it looks at nothing
        """One of `legal`."""
        return legal[int(rng.random() * len(legal))]


class HeuristicBot:
    """The legal move that its plan for the kind finds best; a draw among equals."""

    name: Final = "sensible"
    looks: Final = True

    def __init__(self, plans: dict[str, Callable[[Observation], MoveScore]]) -> None:
        self.plans = plans
        self.kinds = frozenset(plans)

    def move(self, view: MoveRequest, legal: list[str], rng: random.Random) -> str:
        """One of `legal`."""
        if len(legal) == 1:
            return legal[0]
        worths = list(map(self.plans[view.kind](view.observation), legal))
        best = max(worths)
        equals = [move for move, worth in zip(legal, worths, strict=True) if worth == best]
        return equals[int(rng.random() * len(equals))] if len(equals) > 1 else equals[0]


class SearchBot:
    """The move that is best in likely worlds, as far as its search sees, led by its guide for the kind.

    Where no move is clearly better than that of the sensible bot, it makes that one.
    """

    name: Final = "strong"
    looks: Final = True

    def __init__(self, guides: dict[str, Guide]) -> None:
        self.guides = guides
        self.kinds = frozenset(guides)

    def move(self, view: MoveRequest, legal: list[str], rng: random.Random) -> str:
        """One of `legal`; a bot with one legal move does not think."""
        if len(legal) == 1:
            return legal[0]
        return best_move(
            self.guides[view.kind], view.observation, legal, BUILTIN_BOTS["sensible"].move(view, legal, rng), rng
        )


BUILTIN_BOTS: Final[dict[str, BuiltinBot]] = {
    "random": RandomBot(),
    "sensible": HeuristicBot(
        {
            "chinese_ten": chinese_ten,
            "palace": palace,
            "plate_spinner": plate_spinner,
            "plates": plates,
            "platinum_fish": platinum_fish,
        }
    ),
    "strong": SearchBot(
        {
            "chinese_ten": ChineseTenGuide(),
            "palace": PalaceGuide(),
            "plate_spinner": PlateSpinnerGuide(),
            "plates": PlatesGuide(),
            "platinum_fish": PlatinumFishGuide(),
        }
    ),
}
