"""What a run of the default tests costs in all, in units that do not depend on the machine, and its budget.

A unit is what a fixed piece of work costs at that moment (`tests/calibration.py`). The budget stands in
`tests/budget.json`: `units`, which the whole run may cost, and `packages`, what each folder of tests cost when that was
decided. `python -m devkit.costs` writes the packages of the last run there; `units` is changed by hand.
"""

from __future__ import annotations

import json
import resource
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import psycopg

from devkit.paths import LOCAL, ROOT
from devkit.processes import adopt_orphans, reap

COSTS = "SCOREBOOK_TEST_COSTS"  # the file into which each run of pytest writes what its packages cost
PROFILE = "SCOREBOOK_TEST_PROFILE"  # whether a run of pytest prints where its units go
BUDGET = ROOT / "tests" / "budget.json"
LAST = LOCAL / "test-costs.json"
NAMED = 8  # packages that a failed run names
COLLECTING, REST = "collecting", "front end, browsers, servers and PostgreSQL"


class Row(TypedDict):
    """What a run of pytest writes: the mean of a unit in CPU seconds, and what was used in units."""

    run: str
    unit: float
    packages: dict[str, float]
    collecting: float


class Budget(TypedDict):
    units: float
    packages: dict[str, float]


@dataclass
class Meter:
    """Measures the CPU seconds of all processes below this one, and of a database's server. Nobody waits for most of a
    browser's processes: they are adopted when the browser ends."""

    url: str

    def __post_init__(self) -> None:
        adopt_orphans()
        self.began = self.now()

    def now(self) -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime + server_seconds(self.url)

    def seconds(self) -> float:
        """Return the CPU seconds since this meter was made, of processes that have ended. Nobody else may still wait
        for a child of this process."""
        reap()
        return self.now() - self.began


def server_seconds(url: str) -> float:
    """Return the CPU seconds of a database's server with all its processes; 0 if there is none on this machine."""
    try:
        with psycopg.connect(url) as connection:
            backend = connection.info.backend_pid
        # The fields of proc(5) behind the name: 1 is the parent, 11 to 14 are the times, with those of ended children.
        parent = fields_of(backend)[1]
        ended = sum(map(int, fields_of(int(parent))[11:15]))
        processes = (path for path in Path("/proc").iterdir() if path.name.isdecimal())
        alive = [fields for path in processes if (fields := fields_of(int(path.name)))[1:2] == [parent]]
    except (psycopg.Error, OSError, IndexError):
        return 0.0
    return (ended + sum(int(fields[11]) + int(fields[12]) for fields in alive)) / 100


def fields_of(pid: int) -> list[str]:
    """Return the fields of /proc/<pid>/stat behind the name; none if the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def in_units(rows: Sequence[Row], seconds: float) -> dict[str, float]:
    """Return the units of each package, of collecting and of the rest. `rows` are those that runs of pytest wrote,
    `seconds` is what everything used."""
    units: defaultdict[str, float] = defaultdict(float)
    unit = 0.0
    for row in rows:
        unit = row["unit"] or unit
        units[COLLECTING] += row["collecting"]
        for name, cost in row["packages"].items():
            units[name] += cost
    if unit:
        units[REST] = max(seconds / unit - sum(units.values()), 0.0)
    return {name: round(cost, 1) for name, cost in sorted(units.items())}


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def verdict(costs: Mapping[str, float], budget: Budget) -> tuple[str, list[str]]:
    """Return what a run cost, in words, and what is said if it cost too much: which packages grew most."""
    total, allowed = sum(costs.values()), budget["units"]
    words = f"The tests cost {total:,.0f} units of {allowed:,.0f}."
    if total <= allowed:
        return words, []
    grown = {name: cost - budget["packages"].get(name, 0) for name, cost in costs.items()}
    most = sorted(((more, name) for name, more in grown.items() if more > 0), reverse=True)[:NAMED]
    lines = [f"  {name}: {costs[name]:,.0f} units, {more:,.0f} more than in {BUDGET.name}" for more, name in most]
    what = "Make them cheaper, or give them room: `units` in tests/budget.json, with the reason in the commit."
    return words, [f"OVER BUDGET: {words} Since it was set, these have grown:", *lines, what]


def main() -> None:
    """Write what the packages cost in the last run into the budget."""
    budget: Budget = json.loads(BUDGET.read_text())
    budget["packages"] = json.loads(LAST.read_text())
    BUDGET.write_text(json.dumps(budget, indent=1) + "\n")
    print(verdict(budget["packages"], budget)[0])


if __name__ == "__main__":
    main()
