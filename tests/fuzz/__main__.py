"""Plays random games of every kind, until one breaks something.

    python -m tests.fuzz [--games 20000] [--kind palace] [--seed 1] [--jobs 2]
    python -m tests.fuzz --again broken.json

`tests.fuzz.checks` says what must always hold. The games are divided into parts. Each part is a state machine of
hypothesis, which does the same for the same seed. When something breaks, hypothesis makes the game as small as it can,
which takes some minutes. Then the game is printed as JSON (kind, options, seed, moves), and the command exits with 1.
`--again` plays such a game once more and checks every moment closely. It uses no database. `--kind` also takes a kind
of another installed package. Nobody has written down the moves and packs of such a kind, so fewer things are checked.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_DEBUG", "1")
os.environ.setdefault("DATABASE_URL", "postgresql://nobody@localhost/none")  # no database is used

if "--kind" in sys.argv[:-1]:  # also one of another package
    os.environ.setdefault("SCOREBOOK_KINDS", "+" + sys.argv[sys.argv.index("--kind") + 1])

import django

django.setup()

from hypothesis import HealthCheck, seed, settings  # noqa: E402
from hypothesis.stateful import run_state_machine_as_test  # noqa: E402

from scorebook_games.registry import KINDS  # noqa: E402
from tests.fuzz import checks  # noqa: E402
from tests.fuzz.machine import GameMachine, machine_of  # noqa: E402
from tests.fuzz.play import Play  # noqa: E402
from tests.fuzz.setups import Setup  # noqa: E402

PART = 100  # the number of games of one state machine
STEPS = 12  # choices of hypothesis in a game; each is one or many moves


class Part(NamedTuple):
    """The result of a part: its games and moves, and the error with the smallest broken game, if any."""

    kind: str
    number: int
    games: int
    moves: int
    error: str = ""
    story: str = ""


def fuzz(kind: str, number: int, games: int) -> Part:
    """Play a part, and return its result."""
    machine = machine_of((kind,))
    GameMachine.games = GameMachine.moves = 0
    chosen = settings(
        max_examples=games,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    try:
        run_state_machine_as_test(seed(number)(machine), settings=chosen)
    except Exception as error:  # any error is the result
        return Part(kind, number, GameMachine.games, GameMachine.moves, repr(error), play_json(GameMachine.latest))
    return Part(kind, number, GameMachine.games, GameMachine.moves)


def play_json(play: Play | None) -> str:
    """Return the game as JSON for `--again`. The bytes of its seed follow from its number."""
    return json.dumps({"setup": play.setup.plain(), "story": play.story}) if play else "before a game was opened"


def play_again(path: Path) -> None:
    """Play a printed game again, and check every moment closely. Raises what breaks."""
    data = json.loads(path.read_text(encoding="utf-8"))
    play = Play(Setup(**data["setup"]))
    for line in data["story"]:
        print(f"{play.fold.version:5} {json.dumps(line)}", flush=True)
        play.do(line)
        checks.at_every_node(play)
        checks.closely(play, random.Random(play.nodes))
    if play.over:
        checks.at_the_end(play, random.Random(0))
    print(f"The game of {play.setup.kind} went well: {play.fold.version} events.")


def parts(kinds: list[str], games: int, first: int) -> list[tuple[str, int, int]]:
    """Return (kind, seed, games) of each part. The kinds take turns."""
    count = -(-games // PART)
    return [(kinds[index % len(kinds)], first + index, min(PART, games - PART * index)) for index in range(count)]


def main() -> int:
    """Run the command, and return 1 if something broke."""
    given = options()
    if given.again:
        play_again(given.again)
        return 0
    kinds = [given.kind] if given.kind else sorted(KINDS)
    print(f"Seed {given.seed}, {given.games} games of {', '.join(kinds)} in {given.jobs} processes.", flush=True)
    begun, games, moves = time.monotonic(), 0, 0
    with ProcessPoolExecutor(given.jobs) as pool:
        waiting = [pool.submit(fuzz, *part) for part in parts(kinds, given.games, given.seed)]
        for done, future in enumerate(as_completed(waiting), 1):
            part = future.result()
            games, moves = games + part.games, moves + part.moves
            if part.error:
                pool.shutdown(wait=False, cancel_futures=True)
                print(f"{part.error}\nThe smallest game that does it, for --again:\n{part.story}")
                print(f"The part again: python -m tests.fuzz --kind {part.kind} --seed {part.number} --games {PART}")
                return 1
            if done % 10 == 0 or done == len(waiting):
                spent = time.monotonic() - begun
                print(f"{games:6} games, {moves:9} moves, {spent:5.0f} s, nothing broke", flush=True)
    return 0


def options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--games", type=int, default=20000)
    parser.add_argument("--kind", choices=sorted(KINDS))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--again", type=Path, metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
