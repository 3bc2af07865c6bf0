"""Sends unusual requests to the API, by its OpenAPI document, and finds answers that differ from the document.

    python -m tests.fuzz.api [--examples 40] [--seconds 600] [--seed 1] [--only tables/]

For every operation, and as an anonymous person, a member, an organiser and an admin, it sends requests that the
document allows, requests that it forbids (schemathesis makes both), bodies that are not JSON or of a type that is not
accepted, and methods that do not exist. No answer may be 5xx; status, type and body must be as the document says; what
it forbids must be refused. All requests are sent within one transaction of a separate database, which is rolled back.
It exits with 1 if it finds something, and prints the request that shows each finding.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from tests.fuzz.requests_made import AS, Found, Fuzzer
from tests.fuzz.rollback import rolled_back_database


def fuzz(fuzzer: Fuzzer, examples: int, seed: int, seconds: float, only: str) -> Iterator[Found]:
    """Yield the findings, operation by operation, until the time is over."""
    ends = time.monotonic() + seconds
    for label in fuzzer.labels():
        if only in label and time.monotonic() < ends:
            yield from fuzzer.odd_requests(label)
            for number, who in enumerate(AS):
                if time.monotonic() < ends:
                    yield from fuzzer.made_requests(label, who, examples, seed + number)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=40, help="requests of each sort for each operation and asker")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a part of METHOD /path")
    wanted = parser.parse_args(arguments)
    began, found = time.monotonic(), []
    with rolled_back_database():
        fuzzer = Fuzzer()
        for each in fuzz(fuzzer, wanted.examples, wanted.seed, wanted.seconds, wanted.only):
            found.append(each)
            print(each.report(), end="\n\n", flush=True)
    report(fuzzer, time.monotonic() - began, len(found))
    return 1 if found else 0


def report(fuzzer: Fuzzer, seconds: float, found: int) -> None:
    statuses = ", ".join(f"{number} × {key}" for key, number in sorted(fuzzer.counts.items()))
    print(f"{fuzzer.counts.total()} requests to {len(fuzzer.met)} operations in {seconds:.0f} s: {statuses}")
    print(f"{found} found")


if __name__ == "__main__":
    sys.exit(main())
