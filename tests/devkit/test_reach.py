"""Which tests `bin/dev test --changed` runs."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter

import pytest

from devkit.paths import ROOT
from devkit.reach import ALL, REACH_ALL, Reach


@pytest.fixture(scope="module")
def reach() -> Reach:
    return Reach()


def test_a_module_reaches_the_tests_that_import_it_through_others(reach: Reach) -> None:
    reached = reach.tests_of(["tournaments/formats/swiss.py"])
    assert "tests/tournaments/formats" in reached  # the folder that mirrors it
    assert "tests/tournaments/director/test_director.py" in reached
    assert not [path for path in reached if path.startswith("tests/sandbox")]


def test_a_page_reaches_the_tests_of_its_folder_which_open_it_by_its_address(reach: Reach) -> None:
    template = "tournaments/season_pages/templates/season_pages/standings.html"
    assert "tests/tournaments/season_pages" in reach.tests_of([template])


def test_a_template_reaches_what_the_templates_that_extend_it_reach(reach: Reach) -> None:
    reached = reach.tests_of(["config/templates/base.html"])
    assert {"tests/games/lobby", "tests/tournaments/season_pages"} <= {*reached}


@pytest.mark.parametrize(
    "file",
    [
        "tournaments/season_pages/templates/season_pages/standings.html",
        "tournaments/season_pages/views.py",
        "games/common/templatetags/display.py",
    ],
)
def test_what_draws_a_page_reaches_the_tests_in_a_browser(file: str, reach: Reach) -> None:
    assert (reach.root / file).exists()
    assert "tests/browser" in reach.tests_of([file])


@pytest.mark.parametrize(
    "file", ["tournaments/formats/swiss.py", "config/templates/account/email/email_deleted_subject.txt"]
)
def test_what_draws_no_page_reaches_no_page_in_a_browser(file: str, reach: Reach) -> None:
    assert "tests/browser" not in reach.tests_of([file])


def test_a_changed_test_is_reached_alone(reach: Reach) -> None:
    assert reach.tests_of(["tests/devkit/test_reach.py"]) == ["tests/devkit/test_reach.py"]


def test_fixtures_of_a_folder_reach_its_tests(reach: Reach) -> None:
    assert "tests/games" in reach.tests_of(["tests/games/conftest.py"])


@pytest.mark.parametrize(
    ("file", "reached"),
    [
        ("docs/how-to/test.md", "tests/test_docs.py"),
        ("frontend/src/viewer.ts", "tests/browser"),
        ("bin/devkit/reach.py", "tests/devkit"),
        ("games/library/scorebook_games/kinds/palace/rules.md", "tests/scorebook_games"),
    ],
)
def test_files_that_are_read_without_an_import_reach_their_readers(file: str, reached: str, reach: Reach) -> None:
    assert reached in reach.tests_of([file])


@pytest.mark.parametrize(
    "file", ["requirements/app.txt", "tests/conftest.py", "tournaments/seasons/migrations/0001_initial.py"]
)
def test_what_everything_depends_on_reaches_all_tests(file: str, reach: Reach) -> None:
    assert reach.tests_of(["docs/README.md", file]) == [ALL]


def test_each_helper_that_every_test_uses_reaches_all_tests() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["addopts"].split()
    found = [name for name in options if name.startswith("tests.")]
    waiting = ["tests.conftest", *found]
    while waiting:
        file = ROOT / f"{waiting.pop().replace('.', '/')}.py"
        for line in ast.walk(ast.parse(file.read_text())):
            if isinstance(line, ast.ImportFrom) and str(line.module).split(".")[0] == "tests":
                names = [f"{line.module}.{alias.name}" for alias in line.names]
                modules = {name if (ROOT / f"{name.replace('.', '/')}.py").exists() else line.module for name in names}
                new = {str(module) for module in modules} - set(found)
                found += new
                waiting += new
    assert "tests.fixtures.clients" in found
    assert [name for name in found if not f"{name.replace('.', '/')}.py".startswith(REACH_ALL)] == []


def test_any_files_of_tests_can_run_together() -> None:
    """Pytest imports a file by its name alone, so it refuses a second one of the same name."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_a_file_that_is_gone_reaches_no_test_that_is_gone(reach: Reach) -> None:
    assert reach.tests_of(["tests/devkit/test_gone.py", "LICENSE"]) == []
