"""What a run of tests had to leave out is said at its end, and by `bin/dev test` once more at the end of the whole."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from devkit.tests import LEFT_OUT

NO_SANDBOX = "NO SANDBOX HERE"  # begins the reason for which a test of the sandbox is skipped
ATTACK = "tests/sandbox/test_attacks.py::"


def without_sandbox(skipped: Iterable[pytest.TestReport]) -> list[str]:
    """One line, where tests were left out for want of a sandbox; else none."""
    names = [report.nodeid for report in skipped if NO_SANDBOX in str(report.longrepr)]
    attacks = sum(name.startswith(ATTACK) for name in names)
    told = f"{NO_SANDBOX}: {len(names)} tests of it did NOT run, and {attacks} attacks on it were NOT made."
    return [told] if names else []


def report_left_out(reporter: pytest.TerminalReporter) -> None:
    lines = without_sandbox(reporter.getreports("skipped"))
    for line in lines:
        reporter.write_line(line, red=True)
    if lines and (path := os.environ.get(LEFT_OUT)):
        with Path(path).open("a") as file:
            file.writelines(f"{line}\n" for line in lines)
