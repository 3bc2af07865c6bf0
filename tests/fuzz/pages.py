"""Sends unusual requests to pages, files and feeds, and finds those that break something.

    python -m tests.fuzz.pages [--rounds 20] [--seed 1] [--only /clubs/]

It requests every row of tests/permissions/table.txt, as a user who may see it: with odd queries, with odd values in the
fields of its form, with bodies that are no form, and with odd parts in its address (`tests.fuzz.odd`). An answer of 5xx
is a fault. It is printed with its request and traceback, and the command exits with 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from tests.fuzz.pages_asked import Broken, Pages
from tests.fuzz.rollback import rolled_back_database


def fuzz(pages: Pages, rounds: int, number: int, only: str = "") -> Iterator[Broken]:
    """Yield what breaks, round by round."""
    for each in range(rounds):
        for row in pages.rows:
            if only in row.address:
                yield from pages.ask(row, f"{number} {each} {row.method} {row.address}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a part of an address, as it stands in the table")
    wanted = parser.parse_args(arguments)
    began, broken = time.monotonic(), 0
    with rolled_back_database():
        pages = Pages()
        for each in fuzz(pages, wanted.rounds, wanted.seed, wanted.only):
            broken += 1
            print(each.report(), end="\n\n", flush=True)
    statuses = ", ".join(f"{number} × {key}" for key, number in sorted(pages.counts.items()))
    print(f"{pages.counts.total()} requests in {time.monotonic() - began:.0f} s: {statuses}; {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
