"""The slopes with which weights are refined (scorebook_games.luck.refine)."""

from __future__ import annotations

from copy import copy
from typing import Any

import pytest

from scorebook_games.kinds.chinese_ten.kind import KIND
from scorebook_games.luck.games import play
from scorebook_games.luck.ledger import CHANCE, ledger_of
from scorebook_games.luck.refine import with_slopes


def luck_with(weights: list[float], spread: list[float], log: list[Any], *, sloped: bool) -> list[float]:
    value = copy(KIND.value)
    assert value
    value = with_slopes(value) if sloped else type(value)(value.rules, value.file)
    value.weights, value.spread_weights = weights, spread
    entries = ledger_of(log, value, deals=4).entries
    return [sum(each) for each in zip(*[entry.gains for entry in entries if entry.sort == CHANCE], strict=True)]


def test_slopes_say_how_the_luck_changes_with_each_weight() -> None:
    value = KIND.value
    assert value
    log = play("chinese_ten", [0, 0], bytes(32), options={"turn_limit": 4})
    weights, spread = value.weights, value.spread_weights
    luck, _, *slopes = luck_with(weights, spread, log, sloped=True)
    assert luck == pytest.approx(luck_with(weights, spread, log, sloped=False)[0])
    every = [*weights, *spread]
    for place, slope in enumerate(slopes):
        step = 1e-5 * max(1.0, abs(every[place]))
        more, less = ([*every[:place], every[place] + sign * step, *every[place + 1 :]] for sign in (1, -1))
        cut = len(weights)
        rise = luck_with(more[:cut], more[cut:], log, sloped=False)[0]
        fall = luck_with(less[:cut], less[cut:], log, sloped=False)[0]
        assert slope == pytest.approx((rise - fall) / (2 * step), rel=1e-3, abs=1e-8)
