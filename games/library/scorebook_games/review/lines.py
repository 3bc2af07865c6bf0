"""Roll-outs: games that are played on from a position in worlds that the seat could not exclude.

`Lines` plays them for one position. The moves in a roll-out are those of a kind's guide (`Guide.habit`), which are
roughly the sensible bot's. For a kind without a guide they are those of its plan, or random ones, and worlds come from
the rules alone (`search.general_worlds`).

Work is counted in positions: one for each move that is made, and some for what costs as much.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from scorebook_games.bots.builtin import STRONG, SearchBot
from scorebook_games.contract import Draw, Paced, listed_actions, sampler
from scorebook_games.gamelog.fold import place_leavers
from scorebook_games.placings import points_share
from scorebook_games.registry import KINDS
from scorebook_games.review.sight import Position, Sight
from scorebook_games.search.beginnings import beginning_of
from scorebook_games.search.chance import shuffled
from scorebook_games.search.general_worlds import GeneralWorlds
from scorebook_games.search.guide import Guide
from scorebook_games.search.ismcts import Rollout

MAX_LINE_LENGTH: Final = 1500  # moves of a line; then the standing counts
WORLD: Final = 5  # positions that it takes to draw a world
PLANNED: Final = 5  # positions of a move by a plan, which reads an observation
MAKING: Final = 2000  # positions to make worlds by the rules alone, at most
MADE: Final = 10  # worlds that are made so, at most
MAX_TRIED: Final = 40  # moves of a decision; of more, so many by lot

SENSIBLE: Final = "sensible"
RANDOM: Final = "random"


class Setting:
    """How games of one kind are played on, for one seat."""

    def __init__(self, sight: Sight) -> None:
        self.sight, self.rules, self.seat = sight, sight.rules, sight.seat
        kind = KINDS[sight.kind]
        present = kind.rules is sight.rules
        self.paced: Paced[Any] | None = sight.rules if isinstance(sight.rules, Paced) else None
        self.guide: Guide | None = kind.bots.guide if present else None
        self.plan = kind.bots.plan if present else None
        self.forecast = kind.bots.forecast if present else None
        self.strong: SearchBot | None = STRONG if present else None
        self.budget = kind.bots.review_positions
        self.hope = kind.bots.review_hope if self.guide else 0.0
        self.cost = 1
        self.habit: Callable[[Any, int, Draw], int]
        if self.guide:
            self.habit = self.guide.habit
        elif self.plan:
            self.habit, self.cost = self.planned, PLANNED
        else:
            self.habit = sampler(sight.rules)

    @property
    def policy(self) -> str:
        """The name of how roll-outs play."""
        return SENSIBLE if self.guide or self.plan else RANDOM

    def planned(self, state: Any, seat: int, draw: Draw) -> int:
        """Return the action that the plan rates highest, a random one among equals."""
        actions = listed_actions(self.rules, state, seat)
        if len(actions) == 1 or not self.plan:
            return actions[0]
        worth = self.plan(self.rules.observation(state, seat))
        worths = [worth(self.rules.move_text(state, action)) for action in actions]
        most = max(worths)
        equals = [action for action, worth in zip(actions, worths, strict=True) if worth == most]
        return equals[int(draw() * len(equals))]


class Lines:
    """Lines that begin at one position. `used` counts the positions that they took, and `making` those for worlds that
    were made by the rules alone. `name` is part of all random numbers."""

    def __init__(self, setting: Setting, position: Position, name: str) -> None:
        self.setting, self.position, self.name = setting, position, name
        self.rules, self.seat = setting.rules, setting.seat
        self.used = self.making = 0
        self.made: list[Any] | None = None
        self.sample: Callable[[random.Random], Any]
        self.sample = setting.guide.worlds(position.seen).sample if setting.guide else self.one_of_made

    def one_of_made(self, rng: random.Random) -> Any:
        """Return one of the worlds that were made by the rules alone; None if none was found."""
        if self.made is None:
            record, at = self.setting.sight.record(self.position), self.position
            rng = random.Random(self.name)
            general = GeneralWorlds(record, at.seen, list(at.legal), MAKING, rng, beginning_of(record))
            self.made = general.some(MADE)
            self.making = MAKING - general.left
        return self.made[int(rng.random() * len(self.made))].copy() if self.made else None

    def world(self, rng: random.Random) -> Any:
        """Return a world that agrees with what the seat has seen; None if none was found."""
        self.used += WORLD
        return self.sample(rng)

    def candidates(self, rng: random.Random) -> list[tuple[str, int]]:
        """Return the moves worth trying here, each with its action; first the one that was made. There are none if no
        world was found."""
        world = self.world(rng)
        if world is None:
            return []
        mine = self.rules.parse_move(world, self.position.move)
        guide = self.setting.guide
        actions = (guide.candidates if guide else self.rules.legal_actions)(world, self.seat)
        others = [action for action in actions if action != mine]
        if len(others) > MAX_TRIED:
            others = shuffled(others, rng.random)[:MAX_TRIED]
        return [(self.rules.move_text(world, action), action) for action in (mine, *others)]

    def usual(self, rng: random.Random, moves: Sequence[tuple[str, int]]) -> int:
        """Return the move that the seat would play in a roll-out, or the one that was made if it is not in `moves`."""
        action = self.setting.habit(self.world(rng), self.seat, rng.random)
        return action if action in [each for _, each in moves] else moves[0][1]

    def begun(self, world: Any, luck: str, seat: int | None = None) -> Rollout:
        """Return the line in `world`, with `seat` to move, or whoever moves next. Equal luck deals equal chance."""
        line = Rollout(self.rules, self.setting.paced, world, self.seat if seat is None else seat, random.Random(luck))
        if seat is None:
            acting = self.rules.to_act(world)
            line.seat = acting[int(line.draw() * len(acting))] if self.setting.paced and acting else (*acting, -1)[0]
        return line

    def share(self, line: Rollout, *, moved: bool = False) -> float:
        """Play the line to its end, or to where a forecast can be made, and return the seat's share of the result."""
        habit, forecast, state = self.setting.habit, self.setting.forecast, line.state
        number = 0
        shares = forecast(state) if forecast and moved else None
        while line.seat >= 0 and not shares and number < MAX_LINE_LENGTH:
            line.play(habit(state, line.seat, line.draw))
            number += 1
            if forecast:
                shares = forecast(state)
        self.used += number * self.setting.cost
        return shares[self.seat] if shares else self.standing(line)

    def standing(self, line: Rollout) -> float:
        """Return the seat's share as the line stands."""
        outcome = self.rules.outcome(line.state)
        places = outcome.placings if outcome else self.rules.standing(line.state)[1]
        return points_share(place_leavers(places, self.position.left), self.seat)

    def after(self, world: Any, luck: str, action: int) -> float:
        """Return the seat's share of the result if it makes this move in a copy of `world`, and all play on."""
        line = self.begun(world.copy(), luck, self.seat)
        line.play(action)
        self.used += 1
        return self.share(line, moved=True)
