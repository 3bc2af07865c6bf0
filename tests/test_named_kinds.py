"""The check that nothing outside a kind's folder names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.named_kinds import found, kinds_here, main

KINDS = ["plate_spinner", "plates"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for package in ("config", "games", "replays", "tournaments", "frontend/src", "frontend/static"):
        (tmp_path / package).mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "text", "named"),
    [
        ("games/forms.py", 'USUAL = "plate_spinner"\n', "plate_spinner"),
        ("games/forms.py", "from scorebook_games.kinds.plates.rules import Rules\n", "plates"),
        ("games/forms.py", "def slim(PlateSpinner): ...\n\n\nplates = 1\n", "plates"),
        ("replays/frames.py", "class PlateSpinner: ...\n", "PlateSpinner"),
        (
            "replays/frames.py",
            'def f(x):\n    """As one."""\n    return _("The Plate Spinner is here.")\n',
            "Plate Spinner",
        ),
        ("games/templates/one.html", "<p>{% if kind == 'plates' %}</p>\n", "plates"),
        ("frontend/src/App.svelte", 'import Plates from "./boards/kinds/x.svelte";\n', "Plates"),
        ("frontend/src/table/things.ts", "const KINDS = { plate_spinner };\n", "plate_spinner"),
        ("frontend/static/css/tables.css", ".plates { gap: 0 }\n", "plates"),
    ],
)
def test_a_name_text_import_or_template_that_names_a_kind_is_found(
    tree: Path, file: str, text: str, named: str
) -> None:
    (tree / file).parent.mkdir(parents=True, exist_ok=True)
    (tree / file).write_text(text)
    assert [place.rpartition(": ")[2] for place in found(tree, KINDS)] == [named]
    assert found(tree, ["chinese_ten"]) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("games/rows.py", '"""Plates with Laura."""\n\nTITLE = "templates"  # plates\n'),
        ("games/library/scorebook_games/kinds/plates/kind.py", 'NAME = "plates"\n'),
        ("frontend/src/boards/kinds/plates/board.ts", 'import Plates from "./Plates.svelte";\n'),
        ("tournaments/maintenance/demo.py", 'KIND = "plates"\n'),
        ("games/migrations/0001_initial.py", 'KIND = "plates"\n'),
    ],
)
def test_an_example_in_a_docstring_and_the_kinds_own_folder_may_name_it(tree: Path, file: str, text: str) -> None:
    (tree / file).parent.mkdir(parents=True, exist_ok=True)
    (tree / file).write_text(text)
    assert found(tree, KINDS) == []


def test_no_kind_is_named_here() -> None:
    assert {"palace", "plates"} <= set(kinds_here())
    assert main() == 0
