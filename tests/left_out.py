"""Reports which tests were left out, at the end of pytest's run and at the end of `bin/dev test`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from devkit.tests import LEFT_OUT

NO_SANDBOX = "NO SANDBOX HERE"  # the start of the reason for skipping a test of the sandbox
ATTACK = "tests/sandbox/test_attacks.py::"


def without_sandbox(skipped: Iterable[pytest.TestReport]) -> list[str]:
    """Return a line if tests were left out because there is no sandbox, else nothing."""
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
