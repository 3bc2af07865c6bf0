"""The check of banned words finds them as parts of names, and lets pass what the glossary allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.glossary import bans, classes, found, main, parts

PAGE = """# Glossary

| `desk` | above the heading | |

## Banned words

| word | say | right in |
|---|---|---|
| `door` | service | `front_door` |
| `MOST` | MAX_… | |
"""
MODULE = """
MOST = 3
MOST_BYTES: int = 4

class DoorView:
    def open_door(self) -> None: ...

def front_door() -> None: ...
def indoors() -> None: ...
def test_a_door_opens() -> None: ...
"""


@pytest.fixture
def glossary(tmp_path: Path) -> Path:
    page = tmp_path / "glossary.md"
    page.write_text(PAGE, encoding="utf-8")
    return page


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "example.py").write_text(MODULE, encoding="utf-8")
    return folder


def test_only_the_table_below_the_heading_bans() -> None:
    assert [(ban.word, ban.instead, set(ban.allowed)) for ban in bans(PAGE)] == [
        ("door", "service", {"front_door"}),
        ("MOST", "MAX_…", set()),
    ]


def test_a_name_is_taken_apart_at_underscores_and_capitals() -> None:
    assert parts("_openDoor") == parts("OPEN_DOOR") == parts("open_door") == ["open", "door"]


def test_a_word_is_found_in_names_and_capitals_as_a_whole_name(package: Path) -> None:
    lines = [fault.partition(" (")[0].rpartition(": ")[2] for fault in found(package, bans(PAGE))]
    assert sorted(lines) == ["DoorView", "MOST", "open_door"]


def test_a_module_is_named_too(package: Path) -> None:
    (package / "door.py").write_text("", encoding="utf-8")
    assert any("door.py:1: door (`door`: say service)" in fault for fault in found(package, bans(PAGE)))


def test_a_banned_word_fails_the_check(glossary: Path, package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(glossary, [package]) == 1
    assert "DoorView" in capsys.readouterr().out


def test_a_glossary_that_bans_nothing_fails_the_check(tmp_path: Path, package: Path) -> None:
    page = tmp_path / "glossary.md"
    page.write_text("# Glossary\n", encoding="utf-8")
    assert main(page, [package]) == 1


def test_names_that_keep_to_the_glossary_pass(glossary: Path, tmp_path: Path) -> None:
    folder = tmp_path / "clean"
    folder.mkdir()
    (folder / "services.py").write_text("MAX_SIZE = 3\n", encoding="utf-8")
    assert main(glossary, [folder]) == 0


def test_columns_names_of_addresses_and_styles_are_read(tmp_path: Path) -> None:
    models = (
        'class A(models.Model):\n    told = models.BooleanField()\n    b = models.ForeignKey(B, related_name="desk")\n'
    )
    (tmp_path / "models.py").write_text(models, encoding="utf-8")
    (tmp_path / "urls.py").write_text('path("desk/", page, name="club-desk")', encoding="utf-8")
    (tmp_path / "site.css").write_text("/* .told */ .told-h > li { margin: 0.5rem }", encoding="utf-8")
    banned = bans("## Banned words\n| `told` | shown | |\n| `desk` | inbox | |\n")

    lines = [*found(tmp_path, banned), *classes(tmp_path, banned)]

    names = [line.removeprefix(str(tmp_path)).split("(")[0].strip() for line in lines]
    assert names == ["/models.py:2: told", "/models.py:3: desk", "/urls.py:1: club-desk", "/site.css: .told-h"]


def test_local_names_parameters_imports_keys_codes_and_tasks_are_read(tmp_path: Path) -> None:
    module = (
        'from a import b as door\n\ndef f(doors):\n    my_door = {"door": 1, "no door": 2}\n'
        '    raise DomainError(409, "door_shut", "The door is shut.")\n\n@shared_task(name="games.open_door")\n'
        "def task(): ...\n"
    )
    (tmp_path / "module.py").write_text(module, encoding="utf-8")
    banned = bans("## Banned words\n| `door` | service | |\n| `doors` | services | |\n")
    names = [line.partition(".py:")[2].partition(" (")[0] for line in found(tmp_path, banned)]
    assert names == ["1: door", "3: doors", "4: door", "4: my_door", "5: door_shut", "7: games.open_door"]
