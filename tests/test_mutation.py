"""The fixed sample of small faults (`tests.mutation`) keeps up with the product."""

from __future__ import annotations

from subprocess import CompletedProcess

import pytest

from devkit.paths import ROOT
from tests.mutation.mutants import Gone, Mutant, read_sample
from tests.mutation.running import noticed


def test_each_small_fault_of_the_sample_has_its_lines_in_the_product() -> None:
    """A rename that fails here changes the lines in tests/mutation/sample.jsonl too."""
    assert [mutant.name for mutant in read_sample() if not has_lines(mutant)] == []


def has_lines(mutant: Mutant) -> bool:
    path = ROOT / mutant.path
    try:
        return path.exists() and mutant.place(path.read_text()) >= 0
    except Gone:
        return False


@pytest.mark.parametrize(
    ("code", "output", "is_noticed"),
    [
        (0, "1 passed", False),
        (1, "FAILED tests/test_a.py::test_it", True),
        (-24, "", True),
        (4, "ImportError while loading conftest", True),
        (4, "ERROR: file or directory not found: tests/test_gone.py", False),
        (5, "no tests ran", False),
    ],
)
def test_a_test_that_is_gone_has_noticed_no_fault(code: int, output: str, *, is_noticed: bool) -> None:
    assert noticed(CompletedProcess([], code, output)) == is_noticed
