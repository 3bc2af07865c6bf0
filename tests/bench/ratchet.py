"""Measures a short version of the benchmarks that other work on the machine hardly disturbs. `bin/dev bench` compares
it with committed figures.

    python -m tests.bench.ratchet engines      # without a database; on the build that SCOREBOOK_ENGINE_BUILD names
    python -m tests.bench.ratchet product      # with a database of its own on the server of DATABASE_URL

Prints the rows as JSON. In each row, less is better. A row ends with what it is stated in:

- `calls`: how many functions were called, ours and Python's; what compiled engines call is not seen. `queries`,
  `readings` (of a log), `bytes`. These are counts: other work on the machine does not change them.
- `units`: processor time, in units of a fixed loop of Python that runs in the same rounds. Each piece is timed by
  itself, and its least time counts, of both: other work on the machine makes nothing cheaper, and leaves some of the
  short pieces alone.
- `of …`: processor time beside another way that was measured in the same rounds, the least of both too.

Times are rows of the engines and of the log alone, and may double. Beside thirty other processes those of short pieces
were up to 1.7 times as long, and those of long ones, such as a ledger, 2.4 times: so these are counted and not timed.
"""

from __future__ import annotations

import cProfile
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import Any, Final

from scorebook_games import build
from scorebook_games.luck.games import play
from scorebook_games.luck.ledger import ledger_of
from scorebook_games.registry import KINDS
from scorebook_games.review import Reviewer
from tests.bench.engines import Measured, play_out

LOOP: Final = 60_000  # steps of the loop that is a unit: some 10 ms
PIECES: Final = 10  # of the loop, which are timed one by one
ROUNDS: Final = 8
SHORT: Final = 0.04  # CPU seconds of a round, about
GAMES: Final = 4  # random games that are played and replayed
REVIEWED: Final = 8_000  # positions
Rows = dict[str, float]


def unit() -> float:
    """Return the least CPU seconds of a fixed piece of work."""
    return PIECES * min(loop(LOOP // PIECES) for _ in range(PIECES))


def loop(steps: int) -> float:
    began = time.process_time()
    counted: dict[int, int] = {}
    for number in range(steps):
        key = number % 977
        counted[key] = counted.get(key, 0) + len(counted)
    return time.process_time() - began


def calls(*works: Callable[[], int]) -> float:
    """Return how many calls of functions one of the things takes on average of which each of `works` does so many."""
    for work in works:
        work()  # what is computed once is there
    profile, done = cProfile.Profile(), 0
    for work in works:
        profile.enable()
        done += work()
        profile.disable()
    return sum(each.callcount for each in profile.getstats()) / done


def units(*works: Callable[[], int]) -> float:
    """Return what one of the things costs on average of which each of `works` does so many."""
    done = [work() for work in works]
    costs, loops = [inf] * len(works), [unit()]
    for _ in range(ROUNDS):
        began = time.process_time()
        while time.process_time() - began < SHORT:
            for place, work in enumerate(works):
                before = time.process_time()
                work()
                costs[place] = min(costs[place], time.process_time() - before)
        loops.append(unit())
    return sum(costs) / sum(done) / min(loops)


def engines() -> Iterator[tuple[str, float]]:
    """Yield the rows of the build of this process."""
    made = build.current_build()
    for kind in sorted(KINDS):
        rules, value = KINDS[kind].rules, KINDS[kind].value
        seats = rules.spec.seats_min
        options = rules.resolve(seats, {})
        games = [play_out(rules, seats, options, random.Random(number), Measured()) for number in range(GAMES)]
        log = play(kind, [0.0, 0.1] + [0.0] * (seats - 2), bytes(32))

        def played(number: int, rules: Any = rules, seats: int = seats, options: Any = options) -> int:
            play_out(rules, seats, options, random.Random(number), Measured())
            return 1

        def replayed(game: Any, rules: Any = rules, seats: int = seats, options: Any = options) -> int:
            state = rules.initial(seats, options)
            for event in game:
                rules.apply(state, event)
            return 1

        def accounted(log: Any = log, value: Any = value) -> int:
            ledger_of(log, value)
            return 1

        def reviewed(log: Any = log) -> int:
            for _ in Reviewer(log, 0, budget=REVIEWED).steps():
                pass
            return 1

        short: dict[str, list[Callable[[], int]]] = {
            "a random game": [partial(played, number) for number in range(GAMES)],
            "a game replayed": [partial(replayed, game) for game in games],
        }
        long: dict[str, list[Callable[[], int]]] = {
            "a ledger": [accounted],
            f"{REVIEWED} positions of a review": [reviewed],
        }
        for row, works in short.items():
            yield f"{kind}, {made}: {row}, units", units(*works)
        for row, works in (short | long).items() if made == "plain" else ():
            yield f"{kind}, {made}: {row}, calls", calls(*works)


def main() -> None:
    if sys.argv[1:] == ["product"]:
        from tests.bench.ratchet_product import product

        rows = product()
    else:
        rows = engines()
    found: Rows = {}
    for name, figure in rows:
        found[name] = float(f"{figure:.4g}")
        print(f"{found[name]:12g}  {name}", file=sys.stderr, flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
