"""A plug-in of pytest: what tests cost of the processor, and a limit for each.

A test should use two seconds at most, unless it is marked `long` or `slow`: one that uses more is named at the end, and
one that uses more than twenty fails the run. Between the two lies what machines differ by (docs/benchmarks/tests.md).
Counted is the processor's time of the test's own process, so that a busy machine makes no test fail, and without
fixtures, since what several tests share is made by one of them. The table at the end has fixtures in it, and other
processes once they have ended; the database's server counts nowhere.
"""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

NAMED, FAILED = 2.0, 20.0  # CPU seconds
BEGAN = pytest.StashKey[float]()
COST, OVER, BUCKET = "seconds in all", "seconds, where they are many", "bucket"
COLLECTING = "collecting"  # a key in `workeroutput` of pytest-xdist

seconds: defaultdict[str, float] = defaultdict(float)
cases: Counter[str] = Counter()
over: dict[str, float] = {}


def used() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


def bucket_of(item: pytest.Item) -> str:
    """Return the row of the table to which a test belongs."""
    if item.get_closest_marker("browser"):
        return "browser"
    if item.nodeid.startswith("tests/sandbox/"):
        return "sandbox"
    names, mark = getattr(item, "fixturenames", ()), item.get_closest_marker("django_db")
    if "transactional_db" in names or (mark and mark.kwargs.get("transaction")):
        return "database, committed"
    return "database" if "db" in names or mark else "pure"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    item.stash[BEGAN] = used()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    began = time.process_time()
    try:
        return (yield)
    finally:
        cost = time.process_time() - began
        if cost > NAMED and not any(map(item.get_closest_marker, ("long", "slow"))):
            item.user_properties.append((OVER, cost))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    item.user_properties += [(BUCKET, bucket_of(item)), (COST, used() - item.stash[BEGAN])]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record each test of all processes. Pytest calls this in the process that prints the results."""
    told = dict(report.user_properties)
    if report.when == "teardown" and BUCKET in told:
        seconds[str(told[BUCKET])] += float(str(told[COST]))
        cases[str(told[BUCKET])] += 1
        if OVER in told:
            over[report.nodeid] = float(str(told[OVER]))


def pytest_collection_finish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is None:
        seconds[COLLECTING] += used()
    else:
        output[COLLECTING] = used()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    seconds[COLLECTING] += getattr(node, "workeroutput", {}).get(COLLECTING, 0.0)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if max(over.values(), default=0) > FAILED and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("seconds of the processor")
    for name, cost in sorted(seconds.items(), key=lambda row: -row[1]):
        terminalreporter.write_line(f"{cost:8.1f} s {cases[name] or '':>6}  {name}")
    for name, cost in sorted(over.items()):
        if cost <= FAILED:
            terminalreporter.write_line(f"LONG: {cost:.1f} s, more than {NAMED:.0f}: {name}")
    for line in over_budget():
        terminalreporter.write_line(line, red=True)


def over_budget() -> list[str]:
    """Return a line for each test that fails the run because of what it cost."""
    long = {name: cost for name, cost in sorted(over.items()) if cost > FAILED}
    return [f"OVER BUDGET: {cost:.1f} s, more than {FAILED:.0f}: {name}" for name, cost in long.items()]
