"""Imports lists of entrants and tables of results that somebody has spoiled, until one breaks something.

    python -m tests.fuzz.tables [--files 2000] [--seed 1]

What must hold is in `tests.fuzz.imports`. A file that breaks something is printed with its number, which as `--seed`
with `--files 1` is the same file again; the command then exits with 1.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.fuzz.imports import Imports  # after the platform, which sets Django up
from tests.fuzz.rollback import rolled_back_database


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args(arguments)
    began, broken = time.monotonic(), 0
    with rolled_back_database():
        imports = Imports()
        for number in range(wanted.seed, wanted.seed + wanted.files):
            if told := imports.ask(number):
                broken += 1
                print(told, end="\n\n", flush=True)
    came = ", ".join(f"{number} {what}" for what, number in sorted(imports.counts.items()))
    print(f"{wanted.files} files in {time.monotonic() - began:.0f} s: {came}; {broken} broke something")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
