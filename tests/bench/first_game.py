"""Estimates how long a first game takes a person.

    python -m tests.bench.first_game [--games 60] [--turn 6] [--die 2.5]

A built-in bot plays the person's seat of a game for two against another built-in bot, with the kind's usual options and
with those of a first game (`first_game` of its presentation). It prints the person's turns (median and 95th percentile)
and minutes. A turn takes the person `--turn` seconds, each die that is put on a plate before it `--die` seconds, and
every move of the bot 0.5 s, which is the pace of built-in bots outside of leagues. `cut` is the share of games that met
their limit.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_DEBUG", "1")
os.environ.setdefault("DATABASE_URL", "postgresql://nobody@localhost/none")  # no database is used

import django

django.setup()

from games.lobby.table_request import LOBBY_BOT_PACE_MS  # noqa: E402
from scorebook_games.bots.builtin import BUILTIN_BOTS, MoveRequest  # noqa: E402
from scorebook_games.registry import KINDS  # noqa: E402
from tests.bench.builtin_bots import Played, play  # noqa: E402
from tests.bench.where import where  # noqa: E402

TURN_SECONDS: Final = 6.0
DIE_SECONDS: Final = 2.5
PAIRS: Final = (("sensible", "sensible"), ("sensible", "random"), ("random", "sensible"), ("random", "random"))


class Person:
    """A built-in bot that records its moves, except passes."""

    looks: Final = True

    def __init__(self, program: str) -> None:
        self.bot = BUILTIN_BOTS[program]
        self.name = program
        self.kinds = self.bot.kinds
        self.made: list[str] = []

    def recalls(self, kind: str) -> bool:
        """Return whether the bot needs the record of a game of this kind."""
        return self.bot.recalls(kind)

    def move(self, view: MoveRequest, legal: list[str], rng: random.Random) -> str:
        """Return the bot's move."""
        move = self.bot.move(view, legal, rng)
        if move != "pass":
            self.made.append(move)
        return move


class First(NamedTuple):
    """A first game: the person's turns, the dice put on plates before them, and how it was played."""

    turns: int
    dice: int
    played: Played

    def minutes(self, turn: float = TURN_SECONDS, die: float = DIE_SECONDS) -> float:
        """Return the minutes that the game takes the person."""
        others = self.played.moves - self.turns - self.dice
        return (self.turns * turn + self.dice * die + others * LOBBY_BOT_PACE_MS / 1000) / 60


def games(kind: str, person: str, bot: str, options: Mapping[str, Any], count: int) -> list[First]:
    """Play `count` games of `person` against `bot`, which change their seats after each game."""
    found = []
    for number in range(count):
        who = Person(person)
        pair = [who, BUILTIN_BOTS[bot]] if number % 2 else [BUILTIN_BOTS[bot], who]
        played = play(kind, pair, number // 2, pair.index(who), options)
        dice = sum(move.startswith("assign") for move in who.made)
        found.append(First(len(who.made) - dice, dice, played))
    return found


def percentile(values: Sequence[float], part: float) -> float:
    """Return the value below which `part` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def row(found: Sequence[First], turn: float, die: float) -> str:
    """Return the figures of a row, as in `27    33       2.9    3.5      0 %`."""
    turns, took = [each.turns for each in found], [each.minutes(turn, die) for each in found]
    cut = 100 * statistics.fmean(each.played.cut for each in found)
    middle = f"{statistics.median(turns):10.0f} {percentile(turns, 0.95):5.0f}"
    return f"{middle} {statistics.median(took):12.1f} {percentile(took, 0.95):5.1f} {cut:5.0f} %"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--turn", type=float, default=TURN_SECONDS, help="seconds for a turn (default: 6)")
    parser.add_argument("--die", type=float, default=DIE_SECONDS, help="seconds for a die on a plate (default: 2.5)")
    parser.add_argument("--kind", choices=sorted(KINDS))
    given = parser.parse_args()
    print(where())
    print(f"{'kind':13} {'options':27} {'person':8} {'against':8} turns 50 %  95 % minutes 50 %  95 %     cut")
    for kind in [given.kind] if given.kind else sorted(KINDS):
        first = KINDS[kind].presentation.first_game
        for options in [{}, first.options] if first and first.options else [{}]:
            asked = ", ".join(f"{name} {value}" for name, value in options.items()) or "the kind’s own"
            for person, bot in PAIRS:
                found = games(kind, person, bot, options, given.games)
                print(f"{kind:13} {asked:27} {person:8} {bot:8} {row(found, given.turn, given.die)}", flush=True)


if __name__ == "__main__":
    main()
