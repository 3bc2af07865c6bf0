"""A plug-in of pytest: what tests cost, and a limit for each.

Costs are CPU seconds of the test's process, of its children that have ended, and of the database's server for the
process's own connection. They are stated in units of `tests.calibration`, which is measured again during the run, so
that neither a slow machine nor a busy one makes a test expensive. A test should use 40 units at most, unless it is
marked `long` or `slow`: one that uses more is named at the end, and one that uses more than 400 fails the run. For this
limit, what fixtures use does not count, since what several tests share is made by one of them.

`bin/dev test --profile` prints where the units go: by kind of test, package and fixture, and by function.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from devkit.costs import COSTS, PROFILE, Row
from tests import sampling
from tests.calibration import Calibration, Server, used

NAMED, FAILED = 40.0, 400.0  # units
COLLECTING = "collecting"
FEW = 30  # rows of a table
Units = defaultdict[str, float]


@dataclass
class Costs:
    """Units by kind of test, package, fixture, and test; by function: samples of the processor's time."""

    kinds: Units = field(default_factory=lambda: defaultdict(float))
    packages: Units = field(default_factory=lambda: defaultdict(float))
    fixtures: Units = field(default_factory=lambda: defaultdict(float))
    tests: Units = field(default_factory=lambda: defaultdict(float))  # with their fixtures; for `--profile`
    functions: Counter[str] = field(default_factory=Counter)
    cases: Counter[str] = field(default_factory=Counter)
    over: dict[str, float] = field(default_factory=dict)  # by the name of a test
    units: list[float] = field(default_factory=list)  # CPU seconds of each calibration
    server: float = 0.0  # units that are the server's

    def plain(self) -> dict[str, Any]:
        """Return these costs as plain data, for another process."""
        return {name: dict(each) if isinstance(each, dict) else each for name, each in vars(self).items()}

    def add(self, plain: Mapping[str, Any]) -> None:
        """Add the costs of another process."""
        for name in ("kinds", "packages", "fixtures", "tests", "functions", "cases"):
            mine = getattr(self, name)
            for key, cost in plain[name].items():
                mine[key] += cost
        self.over |= plain["over"]
        self.units += plain["units"]
        self.server += plain["server"]


costs = Costs()
calibration, server = Calibration(), Server()


def units_since(began: float) -> float:
    return (used() + server.used() - began) / calibration.unit


def now() -> float:
    return used() + server.used()


def kind_of(item: pytest.Item) -> str:
    """Return the row of the table to which a test belongs."""
    if item.get_closest_marker("browser"):
        return "browser"
    if item.nodeid.startswith("tests/sandbox/"):
        return "sandbox"
    names, mark = getattr(item, "fixturenames", ()), item.get_closest_marker("django_db")
    if "transactional_db" in names or (mark and mark.kwargs.get("transaction")):
        return "database, committed"
    return "database" if "db" in names or mark else "pure"


def package_of(nodeid: str) -> str:
    """Return the folder of a test, at most three names deep: `tests/games/play`."""
    return "/".join(nodeid.partition("::")[0].split("/")[:-1][:3])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    calibration.refresh()
    began, server_began = now(), server.used()
    result = yield
    cost = units_since(began)
    costs.kinds[kind_of(item)] += cost
    costs.cases[kind_of(item)] += 1
    costs.packages[package_of(item.nodeid)] += cost
    costs.server += (server.used() - server_began) / calibration.unit
    if os.environ.get(PROFILE):
        costs.tests[item.nodeid] += cost
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    began = now()
    try:
        return (yield)
    finally:
        cost = units_since(began)
        if cost > NAMED and not any(map(item.get_closest_marker, ("long", "slow"))):
            costs.over[item.nodeid] = cost


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
    if not os.environ.get(PROFILE):
        return (yield)
    began = now()
    try:
        return (yield)
    finally:
        if calibration.unit:
            costs.fixtures[f"{fixturedef.argname} ({fixturedef.baseid or 'plug-ins'})"] += units_since(began)


def pytest_sessionstart() -> None:
    if os.environ.get(PROFILE):
        sampling.start(costs.functions)


def pytest_collection_finish() -> None:
    calibration.refresh()
    costs.kinds[COLLECTING] += used() / calibration.unit


def begin_in_fork() -> None:
    """Count from now on what this process costs, not the one it was forked from."""
    vars(costs).update(vars(Costs()))
    vars(calibration).update(vars(Calibration()))
    pytest_sessionstart()


def costs_of_this_process() -> dict[str, Any]:
    """Return what this process has cost as plain data, for `Costs.add` in the one it was forked from."""
    sampling.stop()
    costs.units += calibration.units
    return costs.plain()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    sampling.stop()
    costs.units += calibration.units
    if path := os.environ.get(COSTS):
        with Path(path).open("a") as file:
            run, collecting = os.environ.get("SCOREBOOK_TEST_RUN", ""), costs.kinds[COLLECTING]
            row = Row(run=run, unit=unit(), packages=costs.packages, collecting=collecting)
            file.write(f"{json.dumps(row)}\n")
    if max(costs.over.values(), default=0) > FAILED and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def unit() -> float:
    """Return the mean of a unit in CPU seconds."""
    return sum(costs.units) / len(costs.units) if costs.units else 0.0


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section(f"units of the processor (a unit was {unit() * 1000:.0f} ms)")
    for name, cost in ranked(costs.kinds):
        terminalreporter.write_line(f"{cost:9.0f} {costs.cases[name] or '':>6}  {name}")
    terminalreporter.write_line(
        f"{sum(costs.kinds.values()):9.0f}         in all, {costs.server:.0f} of them PostgreSQL's"
    )
    if os.environ.get(PROFILE):
        for title in ("packages", "fixtures", "tests", "functions"):
            table(terminalreporter, title, getattr(costs, title))
    for name, cost in sorted(costs.over.items()):
        if cost <= FAILED:
            terminalreporter.write_line(f"LONG: {cost:.0f} units, more than {NAMED:.0f}: {name}")
    for line in over_budget():
        terminalreporter.write_line(line, red=True)


def ranked(counted: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(counted.items(), key=lambda row: -row[1])


def table(reporter: pytest.TerminalReporter, title: str, counted: Mapping[str, float]) -> None:
    most = 50 if title in ("tests", "functions") else FEW
    reporter.section(f"{title}: {'samples' if title == 'functions' else 'units'}")
    for name, cost in ranked(counted)[:most]:
        reporter.write_line(f"{cost:9.0f}  {name}")


def over_budget() -> list[str]:
    """Return a line for each test that fails the run because of what it cost."""
    long = {name: cost for name, cost in sorted(costs.over.items()) if cost > FAILED}
    return [f"OVER BUDGET: {cost:.0f} units, more than {FAILED:.0f}: {name}" for name, cost in long.items()]
