"""A format, a tie-break and a setting as a third party would write them: no line of the platform names them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Environment = Callable[[str], dict[str, str]]


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)


LISTED = "from tournaments.formats import FORMATS; from tournaments.scoring.tie_breaks import TIE_BREAKS; "


def test_a_package_adds_a_format_and_a_tie_break(environment_with: Environment) -> None:
    ran = run(environment_with("lots"), "-c", LISTED + "print([*FORMATS][-1], [*TIE_BREAKS][-1])")
    assert ran.stdout == "drawn_pairs best_round\n", ran.stderr


@pytest.mark.slow
def test_a_season_with_them_is_set_up_played_and_shown(environment_with: Environment) -> None:
    environment = environment_with("lots")
    environment["SCOREBOOK_TEST_RUN"] = environment.get("SCOREBOOK_TEST_RUN", "") + "lots"
    environment.pop("PYTEST_XDIST_WORKER", None)
    ran = run(environment, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", "tests/plugin/walk_lots.py")
    assert ran.returncode == 0, ran.stdout + ran.stderr
