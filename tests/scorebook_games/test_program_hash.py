"""The hash of a program, which seasons and reviews record."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorebook_games.program_hash import program_hash

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
