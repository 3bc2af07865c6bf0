"""How brackets, groups and arenas fare: rounds, matches, rematches, first moves, and the time of a pairing.

    python -m tests.bench.brackets [--all]

Each line is the mean of five competitions with results by lot (of an arena: as many matches as six each). `--all`
instead plays every format with every number from 2 to 200 of entrants, who withdraw and are away at random, and at
tables of 2 to 6; it says how many competitions were played, or which one had a dead end.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from itertools import combinations

from tests.bench.where import where
from tests.tournaments.competition import Competition, by_lot, competition, troubles
from tournaments.formats.base import Pairings

SEEDS = range(5)
LINES = (
    *[("knockout", n, 2) for n in (8, 13, 64, 200, 2000)],
    *[("knockout", n, 4) for n in (16, 41, 200, 2000)],
    *[("double_elimination", n, 2) for n in (8, 13, 64, 200)],
    *[("groups", n, 2) for n in (16, 64, 200)],
    *[("groups", n, 4) for n in (24, 64)],
    *[("arena", n, 2) for n in (8, 64, 200)],
    *[("arena", n, 4) for n in (16, 64)],
)


def play(name: str, entrants: int, size: int, seed: int) -> tuple[Competition, float]:
    """One competition to its end, and the longest time of a pairing in seconds."""
    going = competition(name, entrants, size, in_flight=500) if name == "arena" else competition(name, entrants, size)
    result, longest = by_lot(random.Random(seed)), 0.0
    while name != "arena" or len(going.matches()) * size < 6 * entrants:
        begun = time.perf_counter()
        answer = going.ask()
        longest = max(longest, time.perf_counter() - begun)
        if not isinstance(answer, Pairings):
            break
        going.write(answer, result)
    return going, longest


def rematches(going: Competition) -> int:
    """How many pairs met in a match who had met before."""
    met = Counter(frozenset(pair) for match in going.matches() for pair in combinations(match.entrants, 2))
    return sum(times - 1 for times in met.values())


def seats_apart(going: Competition) -> int:
    """The greatest difference between how often one entrant had one seat and another."""
    sat = Counter((one, seat) for match in going.matches() for seat, one in enumerate(match.entrants))
    seats = range(going.options.table_size)
    return max(max(sat[one, s] for s in seats) - min(sat[one, s] for s in seats) for one in going.entrants)


def line(name: str, entrants: int, size: int) -> str:
    seeds = SEEDS if entrants <= 200 else SEEDS[:1]
    played = [play(name, entrants, size, seed) for seed in seeds]

    def mean(values: list[int]) -> float:
        return sum(values) / len(values)

    return (
        f"{name:18} {entrants:8} {size:6} {mean([len(one.history) for one, _ in played]):6.1f} "
        f"{mean([len(one.matches()) for one, _ in played]):8.1f} {mean([rematches(one) for one, _ in played]):10.1f} "
        f"{max(seats_apart(one) for one, _ in played):6} {1000 * max(longest for _, longest in played):10.0f}"
    )


def sweep() -> None:
    """Every number of entrants, with troubles."""
    count = 0
    kinds = [("double_elimination", 2), *[(name, size) for name in ("knockout", "groups") for size in range(2, 7)]]
    for name, size in kinds:
        for entrants in range(size, 201):
            chance = random.Random(entrants)
            going = competition(name, entrants, size, short=bool(entrants % 2))
            places = going.to_the_end(by_lot(chance, draws=0.1), troubles(chance, leaving=0.04, missing=0.08))
            assert sorted(places) == going.entrants, (name, size, entrants)
            count += 1
        print(f"{name} at tables of {size}: {size} to 200 entrants, no dead end", flush=True)
    print(f"{count} competitions")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="every number of entrants, with troubles")
    if parser.parse_args().all:
        return sweep()
    print(where())
    print("format             entrants tables rounds  matches  rematches  seats  longest ms")
    for name, entrants, size in LINES:
        print(line(name, entrants, size), flush=True)
    return None


if __name__ == "__main__":
    main()
