"""Two standard errors on each side of a sampled mean hold the truth in 95 of 100 cases."""

from __future__ import annotations

import random
from statistics import fmean

import pytest

from scorebook_games.luck.ledger import _Comparison, _difference, _Worth, standard_error
from scorebook_games.value import expectation

TRIALS = 3000


@pytest.mark.parametrize("samples", [4, 6, 12, 50])
def test_the_interval_holds_the_truth_also_for_few_samples(samples: int) -> None:
    """Plates compares a later round with four imagined deals. A plain standard error of four held 86 of 100."""
    rng = random.Random(samples)

    def holds() -> bool:
        possible = [(1.0, [rng.gauss(0.5, 0.2)]) for _ in range(samples)]
        [mean] = expectation(possible)
        [error] = standard_error(possible, [mean])
        return abs(mean - 0.5) <= 2 * error

    assert 0.94 <= fmean(holds() for _ in range(TRIALS)) <= 0.97


def test_one_sample_has_no_error_of_its_own() -> None:
    assert standard_error([(1.0, [0.3])], [0.3]) == (0.0,)


def test_usual_moves_that_lead_to_the_same_sampled_draw_are_together_as_uncertain_as_one() -> None:
    """All moves of a decision are valued with the same samples, so their errors do not cancel out."""
    made, usual = _Worth([0.5], (0.0,)), _Worth([0.4], (0.1,))
    for count in (1, 2, 5):
        foreseen, play = _difference(made, _Comparison([usual] * count, sampled=False))
        assert foreseen.values == pytest.approx([0.4])
        assert play.values == pytest.approx([0.1])
        assert foreseen.error == pytest.approx([0.1])
        assert play.error == pytest.approx([0.1])
