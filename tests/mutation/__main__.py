"""Mutation testing on a fixed sample: which small faults of the product would no test notice?

python -m tests.mutation draw               draw the sample anew (needs: uv pip install cosmic-ray)
python -m tests.mutation measure            run the default suite once, with coverage by test (13 minutes)
python -m tests.mutation run FILE [FILE]    put each mutant to the tests that run its lines; goes on where it was ended;
                                            a second file is an earlier run, whose tests are asked first
python -m tests.mutation again FILE FILE    whether each fault that an earlier run, the first file, noticed still is;
                                            takes minutes and needs no coverage
python -m tests.mutation control FILE       whether the tests that noticed mutants pass without any
python -m tests.mutation table FILE [FILE]  killed and survived by area; with two files what changed between them
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.mutation import running
from tests.mutation.mutants import AREAS, read_sample, write_sample

PROCESSES = 2


def main(arguments: Sequence[str]) -> int:
    match arguments:
        case ["draw"]:
            from tests.mutation.drawing import draw  # cosmic-ray is wanted here alone

            write_sample(draw())
        case ["measure", *rest]:
            return running.measure(rest)
        case ["run", file, *earlier] if len(earlier) <= 1:
            running.run(read_sample(), Path(file), Path(earlier[0]) if earlier else None, processes=PROCESSES)
        case ["again", earlier, file]:
            running.again(Path(earlier), Path(file))
        case ["control", file]:
            return running.control(Path(file))
        case ["table", *files] if 1 <= len(files) <= 2:
            return table([read(file) for file in files])
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


def read(file: str) -> dict[str, dict[str, str]]:
    return {f"{row['name']} {row['nth']}": row for row in map(json.loads, Path(file).read_text().splitlines())}


def table(runs: Sequence[dict[str, dict[str, str]]]) -> int:
    """Prints the table, then those that the last run let live and the first did not, and those of the sample that a run
    did not come to. 1 if there are any of either."""
    last = runs[-1]
    print("| area | mutants | killed | survived | untested | gone |\n|---|---|---|---|---|---|")
    for area in [*AREAS, "all"]:
        verdicts = Counter(row["verdict"] for row in last.values() if area in (row["area"], "all"))
        cells = [sum(verdicts.values()), *(verdicts[each] for each in ("killed", "survived", "untested", "gone"))]
        print(f"| {area} | {' | '.join(map(str, cells))} |")
    noticed = {name for name, row in runs[0].items() if row["verdict"] == "killed"}
    new = [name for name, row in last.items() if row["verdict"] != "killed" and name in noticed]
    if len(runs) == 2:
        print(f"\nNoticed before, and now no longer: {len(new)}", *new, sep="\n")
    sample = {f"{mutant.name} {mutant.nth}" for mutant in read_sample()}
    lacking = [name for run in runs for name in sorted(sample - run.keys())]
    if lacking:
        print(f"\nNever asked: {len(lacking)}", *lacking, sep="\n")
    return bool(lacking or (len(runs) == 2 and new))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
