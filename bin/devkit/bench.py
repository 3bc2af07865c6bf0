"""`bin/dev bench` measures a short version of the benchmarks, and compares it with the committed figures.

The figures stand in `tests/bench/ratchet.json`. The command fails if a count (calls, queries, readings, bytes) is a
tenth above its figure, or a time more than double: other work on the machine makes times longer, and no count. What is
above is measured again first, twice at most, and the least counts. It also fails if something has no figure, or a
figure is of nothing that was measured. `--write` writes the present figures instead.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence

from devkit import compiled, compiler, database
from devkit.console import Trouble
from devkit.paths import ROOT

FIGURES = ROOT / "tests" / "bench" / "ratchet.json"
LOSS = 0.1  # of a count that is allowed; a whole number, such as queries, may lose one in ten too
LOSS_OF_TIME = 1.0
COUNTS = (", calls", ", queries", ", readings of its log", ", bytes")  # with which the names of such rows end
AGAIN = 2  # times that what is above is measured again
Rows = Mapping[str, float]


def bench(arguments: Sequence[str]) -> int:
    """Measure and compare. Return 1 if something costs too much."""
    if not set(arguments) <= {"--write"}:
        raise Trouble("bin/dev bench takes no argument but --write, which writes the present figures.")
    with database.brought() as place:
        groups = measured_groups(place.owner_environment())
        found = {name: row for measure in groups for name, row in measure().items()}
        figures = json.loads(FIGURES.read_text())
        left_out = of_build_left_out(figures, groups)
        if arguments:
            FIGURES.write_text(json.dumps({**found, **left_out}, indent=1) + "\n")
            print(f"Wrote {FIGURES.relative_to(ROOT)}.")
            return 0
        for measure in groups:
            for _ in range(AGAIN):
                if not any(name in found and losses({name: found[name]}, figures) for name in measure.names):
                    break
                found = {**found, **{name: min(found[name], row) for name, row in measure().items()}}
    return compared(found, {name: figure for name, figure in figures.items() if name not in left_out})


class Group:
    """A process that prints rows; `names` are those of its last run."""

    def __init__(self, which: str, environment: Mapping[str, str]) -> None:
        self.which, self.environment = which, environment
        self.names: list[str] = []

    def __call__(self) -> Rows:
        command = [sys.executable, "-m", "tests.bench.ratchet", self.which]
        ran = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, text=True, check=False)
        if ran.returncode:
            raise Trouble(f"The rows of `{' '.join(command[1:])}` could not be measured. The reason stands above.")
        rows: Rows = json.loads(ran.stdout.splitlines()[-1])
        self.names = list(rows)
        return rows


def measured_groups(environment: Mapping[str, str]) -> list[Group]:
    """Return what is measured: the engines of each build, and the product. Without a C compiler there is only the plain
    build, and the figures of the other are left alone."""
    plain = {**environment, compiled.ENGINES: "plain"}
    groups = [Group("engines", plain), Group("product", plain)]
    if cc := compiler.find():
        compiled.build(cc)
        groups.append(Group("engines", {**environment, compiled.ENGINES: "compiled"}))
    return groups


def of_build_left_out(figures: Rows, groups: Sequence[Group]) -> Rows:
    """Return the figures of the compiled build, if it is not measured."""
    if any(group.environment.get(compiled.ENGINES) == "compiled" for group in groups):
        return {}
    return {name: figure for name, figure in figures.items() if ", compiled: " in name}


def losses(found: Rows, figures: Rows) -> dict[str, float]:
    """Return which rows cost more than is allowed, and by how much."""
    return {
        name: row / figures[name] - 1
        for name, row in found.items()
        if name in figures and row > figures[name] * (1 + allowed(name))
    }


def allowed(name: str) -> float:
    """Return how much more a row may cost than its figure, as a share of it."""
    return LOSS if name.endswith(COUNTS) else LOSS_OF_TIME


def compared(found: Rows, figures: Rows) -> int:
    """Print all rows beside their figures; return 1 if one costs too much, or a row or a figure is alone."""
    lost = losses(found, figures)
    missing, gone = found.keys() - figures.keys(), figures.keys() - found.keys()
    for name, row in found.items():
        mark = f"  {lost[name]:+.0%}: LOST" if name in lost else ""
        print(f"{row:10.4g} {figures.get(name, float('nan')):10.4g}  {name}{mark}")
    for name in sorted(gone):
        print(f"{'–':>10} {figures[name]:10.4g}  {name}: NOT MEASURED")
    if lost or missing or gone:
        print(
            f"\n{len(lost)} rows cost more than they may, {len(missing)} have none, and {len(gone)} "
            "figures have no row. Find out why; if it is meant, write the figures: bin/dev bench --write"
        )
        return 1
    print(f"\nNothing costs more than it may ({FIGURES.relative_to(ROOT)}).")
    return 0
