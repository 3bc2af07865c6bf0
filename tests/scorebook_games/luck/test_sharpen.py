"""The spread is fitted to results once more, when all other weights are known (scorebook_games.luck.sharpen)."""

from __future__ import annotations

from math import tanh

import pytest

from scorebook_games.kinds.chinese_ten.kind import KIND
from scorebook_games.kinds.chinese_ten.value import ChineseTenValue
from scorebook_games.luck.fit import LAST, generate, seen_values
from scorebook_games.luck.games import KNOWING
from scorebook_games.luck.record import Duels, Mixture
from scorebook_games.luck.sharpen import SeenValues, sharpened
from scorebook_games.value import ValueFunction


class Plain(ValueFunction):
    """A lead of one feature, with a spread that is a weight for each of two stages."""

    names = ("lead",)
    spreads = ("early", "late")
    weights = [1.0]
    spread_weights = [1.0, 1.0]


def game(square: float, spread: list[float]) -> SeenValues:
    """Return values of leads up to 5 with the results that this square of the spread makes true."""
    leads = [0.0, *[step / 4 for step in range(-20, 21)]]
    mixtures = [Mixture(0.5, {place: 1.0}) for place in range(1, len(leads))]
    results = [0.5 + 0.5 * tanh(lead / square**0.5) for lead in leads[1:]]
    return SeenValues(Duels([[lead] for lead in leads], [spread] * len(leads)), mixtures, results)


def test_leads_that_seem_too_sure_or_too_unsure_are_brought_back_to_results_at_each_stage() -> None:
    value = Plain(KIND.rules, KIND.folder)
    games = [game(4.0, [1.0, 0.0]), game(0.25, [0.0, 1.0])]
    assert sharpened(value, games) == pytest.approx([4.0, 0.25], rel=1e-3)


def test_games_are_seen_with_values_as_they_are_and_with_the_results_of_their_seats() -> None:
    value = ChineseTenValue(KIND.rules, KIND.folder / "value-1.json")
    [seen] = seen_values(value, 1)
    assert len(seen.values) == len(seen.results) > 6
    scales = [sum(map(float.__mul__, value.spread_weights, row)) ** 0.5 for row in seen.duels.spreads]
    leads = [sum(map(float.__mul__, value.weights, row)) for row in seen.duels.ahead]
    found = [
        mixture.fixed + sum(share * 0.5 * tanh(leads[duel] / scales[duel]) for duel, share in mixture.shares.items())
        for mixture in seen.values
    ]
    [same] = generate(value, 1, LAST, mix=KNOWING[LAST % len(KNOWING)], valued=True)
    assert found == pytest.approx([each for values in same.values for each in values])
    assert seen.results == same.shares * len(same.values)
