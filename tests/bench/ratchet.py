"""Measures a short version of the benchmarks that other work on the machine hardly disturbs. `bin/dev bench` compares
it with committed figures.

    python -m tests.bench.ratchet engines      # without a database; on the build that SCOREBOOK_ENGINE_BUILD names
    python -m tests.bench.ratchet product      # with a database of its own on the server of DATABASE_URL

Prints the rows as JSON. In each row, less is better. A row ends with what it is stated in:

- `units`: processor time, in units of a fixed loop of Python that runs in the same rounds. The least of all rounds
  counts, of both: other work on the machine makes nothing cheaper.
- `of …`: processor time beside another way that was measured in the same rounds, the least of both too.
- `queries`, `readings` (of a log), `bytes`: counts, which are always the same.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from scorebook_games import build
from scorebook_games.luck.games import play
from scorebook_games.luck.ledger import ledger_of
from scorebook_games.registry import KINDS
from scorebook_games.review import Reviewer
from tests.bench.engines import Measured, play_out

LOOP: Final = 60_000  # steps of the loop that is a unit: some 10 ms
ROUNDS: Final = 12
SHORT: Final = 0.04  # CPU seconds of a round, about
REVIEWED: Final = 8_000  # positions
Rows = dict[str, float]


def unit() -> float:
    """Return the CPU seconds of a fixed piece of work."""
    began = time.process_time()
    counted: dict[int, int] = {}
    for number in range(LOOP):
        key = number % 977
        counted[key] = counted.get(key, 0) + len(counted)
    return time.process_time() - began


def units(work: Callable[[], int], seconds: Callable[[], float] = time.process_time, rounds: int = ROUNDS) -> float:
    """Return what one of the things costs of which `work` does so many."""
    work()
    costs, loops = [], [unit()]
    for _ in range(rounds):
        began, done = seconds(), 0
        while (spent := seconds() - began) < SHORT or not done:
            done += work()
        costs.append(spent / done)
        loops.append(unit())
    return min(costs) / min(loops)


def engines() -> Iterator[tuple[str, float]]:
    """Yield the rows of the build of this process."""
    made = build.current_build()
    for kind in sorted(KINDS):
        rules, value = KINDS[kind].rules, KINDS[kind].value
        seats = rules.spec.seats_min
        options = rules.resolve(seats, {})
        games = [play_out(rules, seats, options, random.Random(number), Measured()) for number in range(4)]
        log = play(kind, [0.0, 0.1] + [0.0] * (seats - 2), bytes(32))

        def played(rules: Any = rules, seats: int = seats, options: Any = options) -> int:
            for number in range(4):
                play_out(rules, seats, options, random.Random(number), Measured())
            return 4

        def replayed(rules: Any = rules, seats: int = seats, options: Any = options, games: Any = games) -> int:
            for game in games:
                state = rules.initial(seats, options)
                for event in game:
                    rules.apply(state, event)
            return len(games)

        def accounted(log: Any = log, value: Any = value) -> int:
            ledger_of(log, value)
            return 1

        def reviewed(log: Any = log) -> int:
            for _ in Reviewer(log, 0, budget=REVIEWED).steps():
                pass
            return 1

        yield f"{kind}, {made}: a random game, units", units(played)
        yield f"{kind}, {made}: a game replayed, units", units(replayed)
        yield f"{kind}, {made}: a ledger, units", units(accounted)
        yield f"{kind}, {made}: {REVIEWED} positions of a review, units", units(reviewed)


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
