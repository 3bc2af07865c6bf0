"""The hash of a program, which seasons and reviews record."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scorebook_games.build import rules_files
from scorebook_games.program_hash import program_hash
from scorebook_games.registry import KINDS

PROGRAM = '''
"""Adds."""

NAMES: tuple[str, ...] = ()


def add(one: int, other: int) -> int:
    """Return the sum."""
    return one + other  # of both
'''


def hash_of(program: str, folder: Path) -> str:
    file = folder / "add.py"
    file.write_text(program)
    return program_hash([file], and_of="[1.5]")


def test_it_is_the_same_everywhere_and_for_ever(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    assert hash_of(PROGRAM, tmp_path / "x") == "edf414cb16107ad9"


@pytest.mark.parametrize(
    ("old", "new"),
    [("  # of both", ""), ("Return the sum.", "Add."), ("return one + other", "return (one\n            + other)")],
)
def test_comments_docstrings_and_layout_have_no_part_in_it(old: str, new: str, tmp_path: Path) -> None:
    assert PROGRAM.replace(old, new) != PROGRAM
    assert hash_of(PROGRAM.replace(old, new), tmp_path) == hash_of(PROGRAM, tmp_path)


@pytest.mark.parametrize(("old", "new"), [("one + other", "one - other"), ("= ()", '= ("a",)')])
def test_what_a_program_does_has(old: str, new: str, tmp_path: Path) -> None:
    assert hash_of(PROGRAM.replace(old, new), tmp_path) != hash_of(PROGRAM, tmp_path)


def test_the_text_beside_it_has(tmp_path: Path) -> None:
    file = tmp_path / "add.py"
    file.write_text(PROGRAM)
    assert program_hash([file], and_of="[1.5]") != program_hash([file], and_of="[1.6]")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_that_of_a_value_function_has_each_module_beside_the_rules_that_it_imports(kind: str) -> None:
    value, folder, package = KINDS[kind].value, KINDS[kind].folder, f"scorebook_games.kinds.{kind}."
    rules = {path.name for path in rules_files(folder)}
    found, left = set(), ["value.py"]
    while left:
        found.add(name := left.pop())
        for node in ast.walk(ast.parse((folder / name).read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(package):
                imported = f"{node.module.removeprefix(package)}.py"
                left += [imported] if imported not in rules | found else []
    assert value
    assert found == set(value.modules)
