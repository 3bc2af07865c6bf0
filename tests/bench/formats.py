"""How long pairing takes, and how fair it is, for every format and from 2 to 2,000 entrants.

    python -m tests.bench.formats [FORMAT …]      the table, of all formats or these
    python -m tests.bench.formats --sweep FORMAT …   2 … 200 entrants, with all the troubles of a club
    python -m tests.bench.formats --sweep --every 7 FORMAT …   every seventh number of them

Each line is a whole competition of which every match is played. *again*: meetings beyond those the format is for (one
each; two in a double round robin). *seats*: the greatest difference, over all entrants, between how often they sat in
one seat and in another. *rests*: between the one who had most byes and the one who had fewest. *worst*: the longest
time that a round's pairing took.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from tests.bench.where import where
from tests.tournaments.troubled import MUCH, Competition, compete
from tournaments.formats import FORMATS

# Format → (entrants, at a table). Add a line for each new format.
LINES: dict[str, list[tuple[int, int]]] = {
    "round_robin": [(2, 2), (9, 2), (32, 2), (100, 2), (200, 2), (9, 3), (24, 4), (60, 4), (200, 4)],
    "double_round_robin": [(2, 2), (9, 2), (32, 2), (60, 2), (9, 3), (24, 4), (60, 4)],
    "swiss": [
        *[(entrants, 2) for entrants in (2, 3, 8, 9, 32, 33, 64, 128, 256, 257, 500, 1000, 2000)],
        *[(entrants, size) for size in (3, 4) for entrants in (6, 9, 24, 48, 200, 1000, 2000)],
    ],
}
MEANT = {"double_round_robin": 2}  # how often two are to meet; once if not here
SWEEP = range(2, 201)
SWEPT_SIZES = (2, 3, 4)


def line(held: Competition) -> str:
    size, name = held.table_size, held.name
    again = sum(max(times - MEANT.get(name, 1), 0) for times in held.met().values())
    sat = Counter((entrant, seat) for table in held.tables() for seat, entrant in enumerate(table))
    uneven = [
        max(sat[entrant, seat] for seat in range(size)) - min(sat[entrant, seat] for seat in range(size))
        for entrant in held.entrants
    ]
    rests = [held.rests()[entrant] for entrant in held.entrants]
    return (
        f"{len(held.entrants):8} {size:6} {name:20} {len(held.rounds):6} {again:6} {max(uneven):6} "
        f"{sum(uneven) / len(uneven):6.2f} {max(rests) - min(rests):6} {max(held.seconds):9.3f}"
    )


def table(names: list[str]) -> None:
    print("entrants tables format               rounds  again  seats   mean  rests   worst s")
    for name in names:
        for entrants, size in LINES[name]:
            print(line(compete(name, entrants, size)), flush=True)


def sweep(names: list[str], step: int) -> None:
    """Every round of all of them is checked as in the tests; a fault ends it."""
    for name in names:
        for size in SWEPT_SIZES:
            begun, rounds = time.perf_counter(), 0
            for entrants in SWEEP[::step]:
                if FORMATS[name].lacks(entrants, size, {}) is None:
                    held = compete(name, entrants, size, trouble=MUCH, short=bool(entrants % 2))
                    rounds += len(held.rounds)
                    if size == 2:
                        assert max(held.met().values(), default=0) <= MEANT.get(name, 1)
            spent = time.perf_counter() - begun
            print(
                f"{name}, tables of {size}: {rounds} rounds of {SWEEP[::step]} with trouble, {spent:.0f} s", flush=True
            )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.formats")
    parser.add_argument("formats", nargs="*", default=list(LINES), metavar="FORMAT")
    parser.add_argument("--sweep", action="store_true", help="2 … 200 entrants with trouble, each round checked")
    parser.add_argument("--every", type=int, default=1, help="with --sweep: how far the numbers are apart")
    asked = parser.parse_args()
    print(where())
    if asked.sweep:
        sweep(asked.formats, asked.every)
    else:
        table(asked.formats)


if __name__ == "__main__":
    main()
