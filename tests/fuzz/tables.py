"""Imports lists of entrants and tables of results with mistakes, until one breaks something.

    python -m tests.fuzz.tables [--files 2000] [--seed 1]

`tests.fuzz.imports` says what must hold. A file that breaks something is printed with its number, and the command exits
with 1. Use the number as `--seed`, with `--files 1`, to make the same file again.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.fuzz.imports import Imports  # after the import that sets Django up
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
            if found := imports.ask(number):
                broken += 1
                print(found, end="\n\n", flush=True)
    came = ", ".join(f"{number} {what}" for what, number in sorted(imports.counts.items()))
    print(f"{wanted.files} files in {time.monotonic() - began:.0f} s: {came}; {broken} broke something")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
