"""Prints which tests failed, cost too much or were left out, at the end of pytest's run and of `bin/dev test`.
`bin/dev test` prints one run after the other, and a failure of the first would be thousands of lines above its end."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from devkit.tests import CLOSING_LINES
from tests import budget

NO_SANDBOX = "NO SANDBOX HERE"  # the start of the reason for skipping a test of the sandbox
ATTACK = "tests/sandbox/test_attacks.py::"


def without_sandbox(skipped: Iterable[pytest.TestReport]) -> list[str]:
    """Return a line if tests were left out because there is no sandbox, else nothing."""
    names = [report.nodeid for report in skipped if NO_SANDBOX in str(report.longrepr)]
    attacks = sum(name.startswith(ATTACK) for name in names)
    found = f"{NO_SANDBOX}: {len(names)} tests of it did NOT run, and {attacks} attacks on it were NOT made."
    return [found] if names else []


def failures(reports: Iterable[pytest.TestReport | pytest.CollectReport]) -> list[str]:
    """Return a line for each test, fixture or file that failed: its name and the first line of what went wrong."""
    run = os.environ.get("SCOREBOOK_TEST_RUN", "").rstrip("_")
    where = f" ({run})" if run else ""
    return [f"FAILED {report.nodeid}{where}: {crash_of(report)}" for report in reports]


def crash_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    if crash := getattr(report.longrepr, "reprcrash", None):
        return str(crash.message).partition("\n")[0]
    lines = report.longreprtext.splitlines() or [""]  # of a file that cannot be imported, or an unknown fixture
    return next((line for line in reversed(lines) if line.startswith("E ")), lines[0])


def print_closing_lines(reporter: pytest.TerminalReporter) -> None:
    """Print what was left out, and write it with the failures into the file that `bin/dev test` prints at its end."""
    left_out = without_sandbox(reporter.getreports("skipped"))
    for line in left_out:
        reporter.write_line(line, red=True)
    failed = [line for name in ("failed", "error") for line in failures(reporter.getreports(name))]
    lines = [*failed, *budget.over_budget(), *left_out]
    if lines and (path := os.environ.get(CLOSING_LINES)):
        with Path(path).open("a") as file:
            file.writelines(f"{line}\n" for line in lines)
