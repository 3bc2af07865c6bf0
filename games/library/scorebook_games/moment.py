"""The analysis of one moment of a game for one seat. It gets more exact the longer it works.

    analysis = Analysis(events, seat, version)
    while not analysis.over:
        analysis.step()
        show(analysis.plain())

It is made from the seat's own eyes, as a review is (`scorebook_games.review`): games are played on in worlds that the
seat could not exclude, and the moves of a decision are tried in the same worlds with the same luck. All random numbers
come from a hash of what the seat was shown, and a step is a number of positions. So after as many steps, the analysis
of an equal game is the same to the byte, and hidden cards have no part in it.

The JSON data, schema 1. Chances and costs are shares of the result from 0 to 1; an error is one standard error.

    schema, kind, seats, seat, seen, policy    as in a review
    version        how many events had happened
    what           "deal", "decision" or "turn", as in the curve of a review
    event, made    at a decision the version of the move's event, and the move; else null
    chance, error  if all seats play on by the policy; null before the first sample
    samples        how many games were played on for the chance
    moves          [{move, chance, error, cost, cost_error, worlds}], the best first; [] if the seat has no choice here.
                   cost: beside the best move, measured in so many `worlds`
    spent, budget  positions
    over           whether the budget is used, or nothing can be told much more exactly
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

from scorebook_games.contract import Event
from scorebook_games.practice import NO_WORLD, Measurement, choices_at
from scorebook_games.review.lines import Lines, Setting
from scorebook_games.review.report import Estimate, chance, rounded
from scorebook_games.review.reviewer import BATCH, hope_at, play_from
from scorebook_games.review.sight import DECISION, NoReview, Position, Sight, sight_of
from scorebook_games.text import gettext as _

SCHEMA: Final = 1
STEP: Final = 4000  # positions
BUDGET: Final = 2_000_000  # positions
PART: Final = 0.25  # of the positions that the chance takes where moves are compared, too
EXACT: Final = 0.005  # standard error of a chance that is exact enough


class Analysis:
    """The analysis of the moment after `version` events, as far as it has gone. Raises `NoReview`."""

    def __init__(self, events: Iterable[Event], seat: int, version: int, *, budget: int = BUDGET) -> None:
        self.sight = sight_of(events, seat, every_move=True)
        self.setting, self.budget = Setting(self.sight), budget
        self.at = at = moment_at(self.sight, version)
        self.lines = Lines(self.setting, at, f"{self.sight.hash()} moment {at.version} {at.event}")
        self.sums = [0, 0.0, 0.0]
        choices = choices_at(self.setting, at) if at.what == DECISION else []
        self.moves = Measurement(self.setting, at, choices, seed="moment") if len(choices) > 1 else None

    @property
    def spent(self) -> int:
        """How many positions were used."""
        return sum(lines.used + lines.making for lines in (self.lines, *([self.moves.lines] if self.moves else [])))

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""
        told = (self.moves is None or self.moves.settled) and self.sums[0] and self.chance.error < EXACT
        return bool(told) or self.spent >= self.budget

    @property
    def chance(self) -> Estimate:
        """The seat's chance."""
        return chance(self.sums, hope_at(self.setting, self.at))

    def step(self) -> None:
        """Play on for some more positions. Raises `NoReview` if no world agrees with what the seat has seen."""
        stop = self.spent + STEP
        while self.spent < stop and not self.over:
            moves = self.moves
            if moves and not moves.settled and self.lines.used >= PART * (self.lines.used + moves.lines.used):
                moves.go_on()
            else:
                self._play_on()

    def _play_on(self) -> None:
        before = self.sums[0]
        play_from(self.lines, self.sums, BATCH)
        if self.sums[0] == before:
            raise NoReview(_(NO_WORLD))

    def plain(self) -> dict[str, Any]:
        """Return the analysis as JSON data."""
        at, found, decides = self.at, self.chance, self.at.what == DECISION
        data: dict[str, Any] = rounded(
            {
                "schema": SCHEMA,
                "kind": self.sight.kind,
                "seats": self.sight.seats,
                "seat": self.sight.seat,
                "seen": self.sight.hash(),
                "policy": self.setting.policy,
                "version": at.version,
                "what": at.what,
                "event": at.event if decides else None,
                "made": at.move if decides else None,
                "chance": found.mean if found.lines else None,
                "error": found.error if found.lines else None,
                "samples": found.lines,
                "moves": [asdict(value) for value in self.moves.values()] if self.moves else [],
                "spent": self.spent,
                "budget": self.budget,
                "over": self.over,
            }
        )
        return data


def moment_at(sight: Sight, version: int) -> Position:
    """Return the last moment at which `version` events had happened, or fewer. Raises `NoReview` if there is none."""
    if sight.result is not None and version >= sight.versions:
        raise NoReview(_("The game is over at this moment."))
    found = [at for at in sight.positions if (at.event - 1 if at.what == DECISION else at.version) <= version]
    if not found:
        raise NoReview(_("The game has not begun at this moment."))
    return found[-1]
