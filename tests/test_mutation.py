"""The fixed sample of small faults (`tests.mutation`) keeps up with the product."""

from __future__ import annotations

from devkit.paths import ROOT
from tests.mutation.mutants import Gone, Mutant, read_sample


def test_each_small_fault_of_the_sample_has_its_lines_in_the_product() -> None:
    """A rename that fails here changes the lines in tests/mutation/sample.jsonl too."""
    assert [mutant.name for mutant in read_sample() if not has_lines(mutant)] == []


def has_lines(mutant: Mutant) -> bool:
    path = ROOT / mutant.path
    try:
        return path.exists() and mutant.place(path.read_text()) >= 0
    except Gone:
        return False
