"""Value functions whose duels a network decides (scorebook_games.value, scorebook_games.luck.network)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scorebook_games.kinds.chinese_ten.kind import KIND
from scorebook_games.luck.fit import weights_text
from scorebook_games.luck.games import play, players_of
from scorebook_games.luck.network import Duel, fitted_network, foreseen_duels
from scorebook_games.registry import KINDS
from scorebook_games.search.chance import DrawDealer
from scorebook_games.value import NetworkValue, expectation


class Simple(NetworkValue):
    names = ("strength", "noise")
    spreads = ("open",)
    hidden = 3


def duels(number: int) -> Iterator[Duel]:
    """The stronger one wins, but in open games everybody wins as often as the other."""
    rng = random.Random(0)
    for _ in range(number):
        one, other = [rng.random(), rng.random()], [rng.random(), rng.random()]
        is_open = rng.random() < 0.5
        share = rng.random() < 0.5 if is_open else one[0] > other[0]
        yield Duel(one, other, [float(is_open)], float(share))


@pytest.fixture(scope="module")
def fitted() -> dict[str, Any]:
    return fitted_network(Simple(KIND.rules, Path()), duels(3000))


def value_with(stored: dict[str, Any], folder: Path) -> Simple:
    file = folder / "value-1.json"
    file.write_text(json.dumps({"version": 1, **stored}), encoding="utf-8")
    return Simple(KIND.rules, file)


def test_a_network_learns_what_decides_duels_and_when_nothing_does(fitted: dict[str, Any], tmp_path: Path) -> None:
    value = value_with(fitted, tmp_path)
    assert not value.fault
    assert value.duels_of([[0.8, 0.1], [0.2, 0.9]], [0.0])[0] > 0.9
    assert value.duels_of([[0.2, 0.9], [0.8, 0.1]], [0.0])[0] < 0.1
    assert value.duels_of([[0.8, 0.1], [0.2, 0.9]], [1.0])[0] == pytest.approx(0.5, abs=0.1)


def test_values_sum_to_half_the_seats_and_change_seats_with_the_features(
    fitted: dict[str, Any], tmp_path: Path
) -> None:
    value = value_with(fitted, tmp_path)
    rows = [[0.8, 0.1], [0.2, 0.9], [0.4, 0.4]]
    values = value.duels_of(rows, [0.3])
    assert sum(values) == pytest.approx(1.5)
    assert value.duels_of(rows[::-1], [0.3]) == pytest.approx(values[::-1])
    assert value.duels_of([rows[0]] * 3, [0.3]) == pytest.approx([0.5] * 3)


def test_a_duel_before_a_draw_ends_with_the_mean_value_after_it() -> None:
    plates = KINDS["plates"].value
    assert isinstance(plates, NetworkValue)
    rng = random.Random("plates foreseen 1 0")
    log = play("plates", players_of("sensible", 2, rng), rng.randbytes(32))
    state = plates.rules.initial(2, log[0][1]["options"])
    means = []
    for event in log[1:]:
        if event[0] == "turned":
            (draw,) = plates.draws(state, event, DrawDealer(rng.random), {})
            means.append(expectation(draw.possible)[0])
        plates.rules.apply(state, event)
    found = [duel.share for duel in foreseen_duels(plates, 1, ["sensible"], 1)]
    assert len(means) > 10
    assert sum(mean == pytest.approx(share, abs=1e-9) for mean in means for share in found) >= len(means) - 2


def test_weights_for_another_number_of_units_are_a_fault(fitted: dict[str, Any], tmp_path: Path) -> None:
    assert "units" in value_with({**fitted, "out": fitted["out"][:2]}, tmp_path).fault
    assert value_with({**fitted, "bias": ["a", 1, 2]}, tmp_path).fault


def test_a_file_of_weights_has_those_of_a_feature_in_one_line(fitted: dict[str, Any]) -> None:
    text = weights_text(fitted)
    assert json.loads(text) == fitted
    strength = next(line for line in text.splitlines() if "strength" in line)
    assert json.loads("{" + strength.rstrip(",") + "}") == {"strength": fitted["weights"]["strength"]}
