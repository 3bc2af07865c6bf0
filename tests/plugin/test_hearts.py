"""Hearts as a third party would write it: it keeps the promises of a kind, and no line of the platform names it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scorebook_games.registry import KINDS

ROOT = Path(__file__).parents[2]
HEARTS = Path(__file__).parent / "scorebook-hearts"
WALK = "tests/plugin/walk.py"
Environment = Callable[[str], dict[str, str]]


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)


def walk(environment: dict[str, str], *options: str) -> None:
    """Run the tests of walk.py in a process that finds the package."""
    environment = {**environment, "SCOREBOOK_KINDS": ",".join([*KINDS, "hearts"])}
    environment["SCOREBOOK_TEST_RUN"] = environment.get("SCOREBOOK_TEST_RUN", "") + "hearts"
    ran = run(environment, "-m", "pytest", "-q", "-p", "no:cacheprovider", WALK, *options)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_it_keeps_what_a_kind_promises(environment_with: Environment) -> None:
    ran = run(environment_with("hearts"), "-m", "scorebook_games.conformance", "check", "hearts", "--games", "1")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "every promise is kept" in ran.stdout


BARE = """
from pathlib import Path
from scorebook_games.kind import Kind
from .rules import Hearts
KIND = Kind(contract=1, folder=Path(__file__).parent, rules=Hearts())
"""


@pytest.mark.slow
def test_its_rules_alone_keep_every_promise_and_are_played_by_bots_and_people(
    environment_with: Environment, tmp_path: Path
) -> None:
    """Everything else that a kind may have is optional."""
    bare = tmp_path / "bare"
    shutil.copytree(HEARTS, bare, ignore=shutil.ignore_patterns("plan.py", "presentation.py", "ui", "__pycache__"))
    (bare / "scorebook_hearts" / "kind.py").write_text(BARE)
    environment = environment_with("hearts")
    environment["PYTHONPATH"] = environment["PYTHONPATH"].replace(str(HEARTS), str(bare))
    checked = run(environment, "-m", "scorebook_games.conformance", "check", "hearts")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    environment["SCOREBOOK_KINDS"] = ",".join([*KINDS, "hearts"])
    (tmp_path / "bot.py").write_text("class Bot:\n    def move(self, view, legal):\n        return legal[0]\n")
    play = ("-m", "scorebook_games.cli", "play", str(tmp_path / "bot.py"), "hearts", "--games", "2")
    played = run(environment, *play, "--against", "random")
    assert played.returncode == 0, played.stdout + played.stderr
    refused = run(environment, *play, "--against", "sensible")
    assert "does not play hearts" in refused.stderr
    walk(environment, "-k", "people or exported")


def test_it_is_small_and_uses_the_library_alone() -> None:
    sources = [path.read_text(encoding="utf-8") for path in HEARTS.rglob("*.py")]
    board = (HEARTS / "scorebook_hearts" / "ui" / "board.js").read_text(encoding="utf-8")
    assert sum(len(source.splitlines()) for source in [*sources, board]) <= 600
    lines = [line for source in sources for line in source.splitlines() if line.startswith(("from ", "import "))]
    imported = {line.split()[1].partition(".")[0] for line in lines}
    assert imported - set(sys.stdlib_module_names) <= {"", "scorebook_games"}


@pytest.mark.slow
def test_it_is_played_replayed_rated_exported_verified_and_put_into_a_league(environment_with: Environment) -> None:
    walk(environment_with("hearts"))
