"""Measures how long pairing takes and how fair it is, for every format and from 2 to 2,000 entrants.

    python -m tests.bench.formats [FORMAT …]      prints the table, for all formats or these
    python -m tests.bench.formats --sweep [FORMAT …]   checks 2 … 200 entrants, with all the troubles of a club
    python -m tests.bench.formats --sweep --every 7 --processes 2 [FORMAT …]   checks every seventh number of entrants

Each line of the table is a whole competition in which every match is played; ladders and arenas are asked for sixty
rounds. *again*: meetings beyond those of the format (one for each pair; two in a double round robin). *seats*: the
greatest difference, over all entrants, between how often they sat in one seat and in another; *mean*: the mean of these
differences. *rests*: the difference between the most and the fewest byes of an entrant. Brackets do not share out byes,
because the best seeds rest there. *worst*: the longest time that a round's pairing took.

In a sweep people enter late, one by one or all at once, are absent, miss games and withdraw; matches are annulled and
rounds are undone. Each round and each end is checked as in the tests, also for fairness (`fairness`). The sweep
continues after a fault and prints all faults.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from multiprocessing import Pool
from typing import Any

from tests.bench.where import where
from tests.tournaments.formats.fairness import TIMES, assert_fair, seats_apart
from tests.tournaments.simulated_competition import MUCH, Competition, Trouble, compete
from tournaments.formats import FORMATS

# Format → (entrants, seats of a table). Add a line for each new format.
LINES: dict[str, list[tuple[int, int]]] = {
    "round_robin": [(2, 2), (9, 2), (32, 2), (100, 2), (200, 2), (9, 3), (24, 4), (60, 4), (200, 4)],
    "double_round_robin": [(2, 2), (9, 2), (32, 2), (60, 2), (9, 3), (24, 4), (60, 4)],
    "swiss": [
        *[(entrants, 2) for entrants in (2, 3, 8, 9, 32, 33, 64, 128, 256, 257, 500, 1000, 2000)],
        *[(entrants, size) for size in (3, 4) for entrants in (6, 9, 24, 48, 200, 1000, 2000)],
    ],
    "knockout": [(entrants, size) for size in (2, 4) for entrants in (8, 13, 64, 200, 2000)],
    "double_elimination": [(entrants, 2) for entrants in (8, 13, 64, 200, 2000)],
    "groups": [*[(entrants, 2) for entrants in (16, 64, 200, 2000)], (24, 3), (24, 4), (64, 4), (200, 4), (200, 8)],
    "ladder": [(entrants, 2) for entrants in (8, 64, 200, 2000)],
    "arena": [(8, 2), (64, 2), (200, 2), (16, 4), (64, 4), (200, 4)],
}
SIZES = {
    "knockout": range(2, 9),
    "double_elimination": range(2, 3),
    "groups": range(2, 9),
    "ladder": range(2, 3),
    "arena": range(2, 9),
}  # format → the table sizes of a sweep
USUAL_SIZES = range(2, 5)
ROBINS = ("round_robin", "double_round_robin")


def line(held: Competition) -> str:
    size, apart = held.options.table_size, seats_apart(held)
    byes = [held.byes()[entrant] for entrant in held.entrants]
    return (
        f"{len(held.entrants):8} {size:6} {held.format:20} {len(held.answers):6} {again(held):6} {max(apart):6} "
        f"{sum(apart) / len(apart):6.2f} {max(byes) - min(byes):6} {max(held.seconds):9.3f}"
    )


def again(held: Competition) -> int:
    """Return the number of meetings beyond those of the format."""
    return sum(max(times - TIMES.get(held.format, 1), 0) for times in held.paired().values())


def table(names: list[str]) -> None:
    print("entrants tables format               rounds  again  seats   mean  rests   worst s")
    for name in names:
        for entrants, size in LINES[name]:
            print(line(compete(name, entrants, size)), flush=True)


@dataclass(frozen=True, slots=True)
class Job:
    """One competition of a sweep."""

    format: str
    size: int
    entrants: int
    seed: int

    @property
    def trouble(self) -> Trouble:
        """Return many troubles. In a long round robin fewer entrants leave before each round, because otherwise nobody
        would be left at its end."""
        return MUCH if self.entrants < 20 or self.format not in ROBINS else replace(MUCH, leaves=0.6 / self.entrants)

    @property
    def settings(self) -> dict[str, Any]:
        """Return random settings of the format, mostly its defaults, if this many entrants can play with them."""
        chance = random.Random(f"{self}")
        all_settings: dict[str, dict[str, Any]] = {
            "knockout": {"third_place": True, "drawn": "seed", "replays": 2, "postpone": 2},
            "double_elimination": {"reset": False, "drawn": "seed", "replays": 2, "postpone": 2},
            "groups": {
                "group_size": chance.randint(3, 8),
                "advance": chance.randint(1, 3),
                "meetings": 2,
                "third_place": True,
                "drawn": "seed",
                "postpone": 2,
            },
            "ladder": {"reach": chance.randint(1, 9), "rule": "swap", "cooldown": chance.randint(0, 3)},
            "arena": {"floor": chance.randint(0, 9), "in_flight": chance.randint(1, 99)},
            "swiss": {"rounds": chance.randint(1, max(1, self.entrants - 1)) if self.entrants < 20 else 0},
        }
        chosen = all_settings.get(self.format, {})
        settings = {name: value for name, value in chosen.items() if chance.random() < 0.4}
        return {} if FORMATS[self.format].why_unplayable(self.entrants, self.size, settings) else settings


@dataclass(frozen=True, slots=True)
class Swept:
    """The result of a competition. `fault` describes what went wrong, or is empty."""

    job: Job
    fault: str = ""
    rounds: int = 0
    late: int = 0
    gone: int = 0
    again: int = 0
    seats: int = 0
    worst: float = 0.0
    spent: float = 0.0


def sweep_one(job: Job) -> Swept:
    begun = time.process_time()
    try:
        short = bool((job.entrants + job.seed) % 2)
        held = compete(job.format, job.entrants, job.size, job.seed, job.trouble, short=short, **job.settings)
        assert_fair(held)
    except Exception:
        found = traceback.format_exc(limit=-4)
        return Swept(job, f"{job} {job.settings}\n{found}")
    return Swept(
        job,
        "",
        len(held.answers),
        sum(begins > 1 for begins in held.begins.values()) + len(held.history[0].late if held.history else ()),
        len(held.options.withdrawn),
        again(held),
        max(seats_apart(held)),
        max(held.seconds, default=0.0),
        time.process_time() - begun,
    )


def jobs(names: list[str], numbers: range, seeds: int, *, in_turn: bool) -> Iterator[Job]:
    """Yield the jobs, those of one format and table size together, the largest first."""
    for name in names:
        sizes = SIZES.get(name, USUAL_SIZES)
        for size in sizes:
            for entrants in reversed(numbers):
                its_turn = size == 2 or not in_turn or (entrants - size) % (len(sizes) - 1) == 0
                if its_turn and FORMATS[name].why_unplayable(entrants, size, {}) is None:
                    yield from (Job(name, size, entrants, seed) for seed in range(seeds))


def sweep(names: list[str], numbers: range, seeds: int, processes: int, *, in_turn: bool) -> int:
    """Run a sweep and return the number of faults."""
    with Pool(processes) as pool:
        return report(pool.imap(sweep_one, jobs(names, numbers, seeds, in_turn=in_turn)))


def report(done: Iterable[Swept]) -> int:
    """Print each fault, and a row for each format and size, as the competitions end. Returns the number of faults."""
    faults = 0
    print("format               tables entrants    held  rounds   late   gone  again  seats   worst s   cpu s")
    for (name, size), group in groupby(done, key=lambda one: (one.job.format, one.job.size)):
        found = list(group)
        for one in found:
            if one.fault:
                print(f"FAULT {one.fault}", flush=True)
        faults += sum(bool(one.fault) for one in found)
        span = f"{min(one.job.entrants for one in found)}–{max(one.job.entrants for one in found)}"
        sums = [sum(getattr(one, what) for one in found) for what in ("rounds", "late", "gone", "again")]
        print(
            f"{name:20} {size:6} {span:>8} {len(found):7} {sums[0]:7} {sums[1]:6} {sums[2]:6} {sums[3]:6} "
            f"{max(one.seats for one in found):6} {max(one.worst for one in found):9.3f} "
            f"{sum(one.spent for one in found):7.0f}",
            flush=True,
        )
    print(f"{faults} faults")
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.formats")
    parser.add_argument("formats", nargs="*", default=list(LINES), metavar="FORMAT")
    parser.add_argument("--sweep", action="store_true", help="2 … 200 entrants with trouble, each round checked")
    parser.add_argument("--every", type=int, default=1, help="with --sweep: the step between numbers of entrants")
    parser.add_argument("--most", type=int, default=200, help="with --sweep: the largest number of entrants")
    parser.add_argument(
        "--in-turn",
        action="store_true",
        help="with --sweep: each number of entrants at tables of two and of one other size, which rotates",
    )
    parser.add_argument("--seeds", type=int, default=1, help="with --sweep: how many competitions of each")
    parser.add_argument("--processes", type=int, default=1, help="with --sweep: the number of processes")
    asked = parser.parse_args()
    print(where())
    if asked.sweep:
        numbers = range(2, asked.most + 1, asked.every)
        sys.exit(bool(sweep(asked.formats, numbers, asked.seeds, asked.processes, in_turn=asked.in_turn)))
    table(asked.formats)


if __name__ == "__main__":
    main()
