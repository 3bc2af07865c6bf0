"""What each move at one decision of a finished game was worth to the seat that made it, from its own knowledge.

Exercises and puzzles ask for the best move, so they need all of them. All moves are played on in the same worlds, with
the same luck, as a review does it (`scorebook_games.review`). A move that certainly costs something beside the best
one is dropped, so that the most lines go to moves that are hard to tell apart. Other seeds give other worlds.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from scorebook_games.review.lines import Lines, Setting
from scorebook_games.review.report import chance, estimate
from scorebook_games.review.reviewer import CERTAIN, hope_at
from scorebook_games.review.sight import DECISION, NoReview, Position, Sight
from scorebook_games.text import gettext as _
from scorebook_games.text import gettext_noop

MAX_CHOICES: Final = 40
BATCH: Final = 8  # worlds between two looks at what can be dropped
MIN_WORLDS: Final = 16
NO_WORLD: Final = gettext_noop("No world agrees with what the seat had seen.")


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A move: the chance after it, and its cost beside the best move, each with a standard error."""

    move: str
    chance: float
    error: float
    cost: float
    cost_error: float
    worlds: int

    def is_right(self, errors: float) -> bool:
        """Return whether the move costs nothing that exceeds so many standard errors."""
        return self.cost <= errors * self.cost_error


def decision_at(sight: Sight, event: int) -> Position:
    """Return the decision that was made by the event of this version. Raises `NoReview`."""
    for position in sight.positions:
        if position.what == DECISION and position.event == event:
            return position
    raise NoReview(_("Event {event} is no decision of seat {seat}.").format(event=event, seat=sight.seat))


def choices_at(setting: Setting, at: Position, *, best: str = "") -> list[str]:
    """Return the moves among which the seat can choose at a decision, in the order of its list.

    If there are too many, some are left out, but neither `best` nor the move that was made.
    """
    name = f"{setting.sight.hash()} choices {at.version} {at.event}"
    tried = [text for text, _worth in Lines(setting, at, name).candidates(random.Random(name))]
    found = list(dict.fromkeys([*([best] if best else []), at.move, *at.legal, *tried]))[:MAX_CHOICES]
    places = {text: place for place, text in enumerate(at.legal)}
    return sorted(found, key=lambda text: (places.get(text, len(places)), text))


def usual_move(setting: Setting, at: Position) -> str:
    """Return what the seat would play here in a roll-out: roughly the move of the sensible bot. Raises `NoReview`."""
    rng = random.Random(f"{setting.sight.hash()} usual {at.version} {at.event}")
    world = Lines(setting, at, "usual").world(rng)
    if world is None:
        raise NoReview(_(NO_WORLD))
    return setting.rules.move_text(world, setting.habit(world, setting.seat, rng.random))


def measure(
    setting: Setting,
    at: Position,
    moves: list[str],
    *,
    seed: str,
    positions: int,
    best: str = "",
    worlds: int = MIN_WORLDS,
) -> list[MoveValue]:
    """Return the values of `moves`, the best first, from about so many positions. Each is tried in so many `worlds` at
    least.

    They are compared with `best` if it is given, else with the one that turns out best. Raises `NoReview` if no world
    agrees with what the seat has seen.
    """
    made = Measurement(setting, at, moves, seed=seed, best=best, worlds=worlds)
    while not made.settled and (made.number < worlds or made.lines.used < positions):
        made.go_on()
    return made.values()


class Measurement:
    """What moves are worth at one decision, as far as it is measured: the parameters are those of `measure`."""

    def __init__(
        self, setting: Setting, at: Position, moves: list[str], *, seed: str, best: str = "", worlds: int = MIN_WORLDS
    ) -> None:
        self.setting, self.at, self.moves, self.best, self.worlds = setting, at, moves, best, worlds
        self.lines = Lines(setting, at, f"{setting.sight.hash()} practice {seed} {at.version} {at.event}")
        self.shares: dict[str, list[float]] = {move: [] for move in moves}
        self.left, self.number, self.lead = list(moves), 0, best

    @property
    def settled(self) -> bool:
        """Whether only one move is left."""
        return len(self.left) < 2

    def go_on(self) -> None:
        """Try the moves that are left in some more worlds. Raises `NoReview` as `measure`."""
        for number in range(self.number, self.number + BATCH):
            self._play(number)
        self.number += BATCH
        self.lead = self.best or max(self.left, key=lambda move: fmean(self.shares[move]))
        if self.number >= self.worlds:
            self.left = [
                move for move in self.left if move == self.lead or _cost(self.shares, self.lead, move)[2] < CERTAIN
            ]

    def _play(self, number: int) -> None:
        """Play each of the moves on in the next world."""
        lines, name = self.lines, f"{self.lines.name} {number}"
        world = lines.world(random.Random(name))
        if world is None:
            raise NoReview(_(NO_WORLD))
        for move in self.left:
            self.shares[move].append(lines.after(world, f"{name} luck", lines.rules.parse_move(world, move)))

    def values(self) -> list[MoveValue]:
        """Return the values of all moves, the best first."""
        values = [_value(self.setting, self.at, self.shares, self.lead, move) for move in self.moves]
        return sorted(values, key=lambda value: (value.move != self.lead, value.cost, value.move))


def lead_of(values: list[MoveValue]) -> float:
    """Return by how many standard errors the best move is ahead of every other one."""
    return min((value.cost / value.cost_error for value in values[1:]), default=0.0)


def _cost(shares: dict[str, list[float]], lead: str, move: str) -> tuple[float, float, float]:
    """Return what `move` costs beside `lead` in the worlds in which both were played: mean, error, certainty."""
    costs = [one - other for one, other in zip(shares[lead], shares[move], strict=False)]
    found = estimate([len(costs), sum(costs), sum(cost * cost for cost in costs)])
    return found.mean, found.error, found.certainty


def _value(setting: Setting, at: Position, shares: dict[str, list[float]], lead: str, move: str) -> MoveValue:
    found = chance(
        [len(shares[move]), sum(shares[move]), sum(share * share for share in shares[move])], hope_at(setting, at)
    )
    cost, error = (0.0, 0.0) if move == lead else _cost(shares, lead, move)[:2]
    return MoveValue(move, round(found.mean, 4), round(found.error, 4), round(cost, 4), round(error, 4), found.lines)
