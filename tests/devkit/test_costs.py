"""What the default run costs, and that it fails when it costs more than its budget."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from devkit import costs, tests
from tests.calibration import Calibration

UNIT = 0.05
ROWS: list[costs.Row] = [
    {"run": "", "unit": UNIT, "packages": {"tests/games/play": 100.0, "tests/replays": 40.0}, "collecting": 30.0},
    {"run": "browser_", "unit": UNIT, "packages": {"tests/browser": 60.0}, "collecting": 10.0},
]
BEFORE: dict[str, float] = {"tests/games/play": 80.0, "tests/replays": 45.0, "tests/browser": 60.0, "collecting": 40.0}


# A shell starts a process that computes for a third of a second, and ends before it.
ORPHAN = """
import os, subprocess, sys
from devkit.costs import Meter
meter = Meter("postgresql://nobody@/none?host=/nowhere")
computes = "import time\\nwhile time.process_time() < 0.3: pass"
subprocess.run(["sh", "-c", '"$0" -S -c "$1" &', sys.executable, computes], check=True)
os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
print(meter.seconds() > 0.29)
"""


def test_what_a_process_uses_that_outlives_its_parent_is_counted() -> None:
    ran = subprocess.run([sys.executable, "-c", ORPHAN], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("True\n", "")


def test_what_no_test_used_itself_counts_as_the_rest() -> None:
    units = costs.in_units(ROWS, 300 * UNIT)
    assert units == {
        "collecting": 40.0,
        costs.REST: 60.0,
        "tests/browser": 60.0,
        "tests/games/play": 100.0,
        "tests/replays": 40.0,
    }


def test_a_run_within_its_budget_passes() -> None:
    assert costs.verdict(costs.in_units(ROWS, 300 * UNIT), {"units": 300, "packages": BEFORE}) == (
        "The tests cost 300 units of 300.",
        [],
    )


def test_a_run_above_its_budget_names_the_packages_that_grew_most_first() -> None:
    _words, lines = costs.verdict(costs.in_units(ROWS, 240 * UNIT), {"units": 239, "packages": BEFORE})
    assert lines == [
        "OVER BUDGET: The tests cost 240 units of 239. Since it was set, these have grown:",
        "  tests/games/play: 100 units, 20 more than in budget.json",
        "Make them cheaper, or give them room: `units` in tests/budget.json, with the reason in the commit.",
    ]


@pytest.mark.parametrize(("allowed", "every", "code"), [(241, False, 0), (239, False, 1), (239, True, 0)])
def test_the_default_run_fails_above_its_budget_and_the_run_of_all_tests_does_not(
    allowed: float, every: bool, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(costs, "LAST", tmp_path / "last.json")
    monkeypatch.setattr(costs, "BUDGET", tmp_path / "budget.json")
    costs.BUDGET.write_text(json.dumps({"units": allowed, "packages": BEFORE}))
    assert tests.within_budget(costs.in_units(ROWS, 240 * UNIT), every) == code
    assert json.loads(costs.LAST.read_text())["tests/browser"] == 60.0


@pytest.mark.django_db
def test_a_calibration_counts_the_work_of_python_and_of_the_server() -> None:
    calibration = Calibration()
    calibration.refresh()
    first = calibration.unit
    calibration.refresh()
    assert first > 0
    assert calibration.units == [first]  # it is not yet due again
    assert not math.isnan(calibration.measure())
