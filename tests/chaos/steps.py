"""Disturbs every step of the director and every service of the leagues, and compares all rows with the undisturbed
step.

    python -m tests.chaos.steps [--only WORDS] [--every 1]

It runs each step once undisturbed. Then it kills the process (kill −9) before its first statement or commit, its second
…, and lets another process run the step. Then three processes run it at the same moment, and then one process again.
After each of these, all rows must be those of the undisturbed step. Messages of Celery are also delivered several
times. It prints a table, works in separate databases, like `tests.bench.play`, and exits with 1 if anything differs.
`--every 5` kills only before every fifth statement.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from tests.bench.play import own_database  # sets Django up

from tests.chaos.repeated_steps import PROCESSES, Found, Stage  # isort: skip
from tests.chaos.story import scenes  # isort: skip


def disturbed(stage: Stage, only: str, every: int) -> Iterator[Found]:
    for scene in scenes():
        if only in scene.name:
            yield stage.disturb(scene.step(), lambda statements: range(0, statements, every))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only steps with these words in their name")
    parser.add_argument("--every", type=int, default=1)
    asked = parser.parse_args()
    begun = time.monotonic()
    all_found = []
    print(f"{'step':48} statements  kills  nothing left  something  differences", flush=True)
    with own_database():
        for found in disturbed(Stage(), asked.only, asked.every):
            all_found.append(found)
            figures = f"{found.statements:10}{found.kills:7}{found.nothing:14}{found.something:11}"
            print(f"{found.name:48} {figures}{len(found.differences):13}", flush=True)
            for difference in found.differences:
                print(f"    {difference}", flush=True)
    wrong = sum(bool(found.differences) for found in all_found)
    kills = sum(found.kills for found in all_found)
    print(
        f"{len(all_found)} steps, {kills} kills, each step by {PROCESSES} processes at once and once more: "
        f"{wrong or 'no'} steps differ; {time.monotonic() - begun:.0f} s"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
