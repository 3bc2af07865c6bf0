"""The search for any kind, by its rules alone: the bot `strong` uses it for a kind that brings no guide.

It makes worlds (`general_worlds`), tries the moves side by side in the same worlds with the same luck, and drops the
worse half again and again, as `ismcts.best_move` does. After the move all seats play at random. There is no tree. What
a position is worth is read from `Rules.standing`.

The budget is a number of positions: `MAKING` for worlds and `PLAYING` for trying moves. One position is one decision of
the rules. So the same question gets the same answer on every machine.
"""

from __future__ import annotations

import random
from typing import Any, Final

from scorebook_games.contract import Paced, sampler
from scorebook_games.search.beginnings import beginning_of
from scorebook_games.search.chance import shuffled
from scorebook_games.search.general_worlds import GeneralWorlds
from scorebook_games.search.ismcts import Rollout, clearly_better
from scorebook_games.search.record import Record
from scorebook_games.search.value import shares
from scorebook_games.search.worth import Observation

MAKING: Final = 4000
PLAYING: Final = 2000
WORLDS: Final = 12
MAX_TRIED: Final = 60  # moves; of more, so many by lot
ROUNDS_AHEAD: Final = 3  # turns of each seat in a line
MOVES_OF_A_TURN: Final = 4  # at most, on average
Standing = tuple[tuple[int, ...], tuple[int, ...]]


class Tried:
    """A move that may be made now, and how each line that began with it ended."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ends: list[Standing] = []
        self.brought: list[float] = []


class Lines:
    """Lines of play in invented worlds, and the positions that they may still use."""

    def __init__(self, record: Record, worlds: list[Any], rng: random.Random) -> None:
        self.rules, self.seat = record.rules, record.seat
        self.paced: Paced[Any] | None = record.rules if isinstance(record.rules, Paced) else None
        self.sample = sampler(record.rules)
        self.worlds, self.rng = worlds, rng
        self.turns = ROUNDS_AHEAD * record.seats
        self.sign = 1 if record.rules.spec.best == "highest" else -1
        self.used = 0
        self.next = 0

    def batch(self, moves: list[Tried]) -> None:
        """Try each move once, all in one world and with the same luck."""
        world, luck = self.worlds[self.next % len(self.worlds)], self.rng.getrandbits(64)
        self.next += 1
        for move in moves:
            line = Rollout(self.rules, self.paced, world.copy(), self.seat, random.Random(luck))
            line.play(self.rules.parse_move(world, move.text))
            self.used += 1
            for _ in range(MOVES_OF_A_TURN * self.turns):
                if line.seat < 0 or line.turns >= self.turns:
                    break
                line.play(self.sample(line.state, line.seat, line.draw))
                self.used += 1
            move.ends.append(self.rules.standing(line.state))

    def judge(self, moves: list[Tried]) -> None:
        """Value all ends: a part for the places, and a part for the lead, measured by the greatest lead of all."""
        leads = [abs(mine - other) for move in moves for scores, _ in move.ends for mine in scores for other in scores]
        scale = max([1, *leads])
        for move in moves:
            move.brought = [self.value(end, scale) for end in move.ends]

    def value(self, end: Standing, scale: int) -> float:
        """Return what an end is worth to the seat, from 0 to 1."""
        scores, places = end
        lead = shares([self.sign * score for score in scores], scale, margin=1.0)[self.seat]
        place = shares([-place for place in places], 1, margin=0.0)[self.seat]
        return (lead + place) / 2


def general_move(
    record: Record, observation: Observation, legal: list[str], usual: str | None, rng: random.Random
) -> str | None:
    """Return the best of the legal moves. If there is a `usual` one, another one must be clearly better.

    Returns None if no world was found.
    """
    if record.seats < 2:  # there is nobody to be compared with
        return None
    worlds = GeneralWorlds(record, observation, legal, MAKING, rng, beginning_of(record)).some(WORLDS)
    if not worlds:
        return None
    lines = Lines(record, worlds, rng)
    default = Tried(usual) if usual else None
    left = [Tried(text) for text in shuffled(legal, rng.random) if text != usual][:MAX_TRIED]
    everything = [*left, default] if default else left
    rounds = len(left).bit_length()
    for number in range(1, rounds + 1):
        while lines.used < PLAYING * number / rounds:
            lines.batch([*left, default] if default else left)
        lines.judge(everything)
        left.sort(key=lambda move: -sum(move.brought) / len(move.brought))
        del left[(len(left) + 1) // 2 :]
    if default and not clearly_better(left[0].brought, default.brought):
        return usual
    return left[0].text
