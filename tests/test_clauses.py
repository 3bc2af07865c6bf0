"""The check that every clause has a test finds those that have none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scorebook_games.registry import KINDS
from tests.clauses import KINDS as FOLDERS
from tests.clauses import citations, cited, clauses, main

PAGE = "# Example\n\n- **EX-1** One.\n- EX-2 Two, see EX-9.\n### EX-3 Three\n"
TESTS = '''
# EX-3
def test_three() -> None:
    assert True

def test_one() -> None:
    """EX-1."""

def helper() -> None:
    """EX-2."""
'''


@pytest.fixture
def example(tmp_path: Path) -> Path:
    (tmp_path / "example").mkdir()
    (tmp_path / "example" / "rules.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "test_example.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


def test_clauses_are_headings_and_items_that_begin_with_a_number(example: Path) -> None:
    assert clauses(example) == {"example": ["EX-1", "EX-2", "EX-3"]}


def test_a_clause_without_a_test_is_named_and_fails_the_check(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert citations(example) == {"EX-1": 1, "EX-3": 1}
    assert main(example, example) == 1
    assert "3 clauses, 1 without a test: EX-2" in capsys.readouterr().out


def test_a_folder_without_clauses_fails_the_check(tmp_path: Path) -> None:
    assert main(tmp_path, tmp_path) == 1


def test_a_span_cites_every_clause_in_it() -> None:
    assert cited("PL-7 to PL-9, and CT-3") == {"PL-7", "PL-8", "PL-9", "CT-3"}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_page_of_every_kind_numbers_its_clauses_without_a_gap(kind: str) -> None:
    numbers = clauses(FOLDERS)[kind]
    found = [int(re.sub(r"\D", "", clause)) for clause in numbers]
    assert found == list(range(1, len(numbers) + 1))
