"""The value function that the reference of kinds shows, in the small game for which it is written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.declared import the_value_function_makes_ledgers_that_add_up
from scorebook_games.conformance.game import BrokenPromise
from scorebook_games.conformance.template import kind as template
from scorebook_games.conformance.template.rules import HighestCard
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.luck import fit
from scorebook_games.luck.fit import diagnosis
from scorebook_games.luck.ledger import DECISION, ledger_of
from scorebook_games.registry import KINDS
from scorebook_games.value import ValueFunction
from tests.scorebook_games.rounds import KIND, played

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "kinds.md"
WEIGHTS = {"version": 1, "weights": {"tricks": 1.0, "cards": 0.5}, "spread": {"left": 0.5}}


@pytest.fixture
def value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ValueFunction:
    """Return the documented value function, without its weights."""
    code = PAGE.read_text(encoding="utf-8").split("## A value function")[1].split("```python")[1].split("```")[0]
    (tmp_path / "value.py").write_text(code)
    names: dict[str, Any] = {}
    exec(code, names)
    made: ValueFunction = names["WhistValue"](template.KIND.rules, tmp_path / "value-1.json")
    monkeypatch.setitem(KINDS, KIND, replace(template.KIND, value=made))
    return made


def test_its_ledgers_add_up_once_it_has_weights(value: ValueFunction) -> None:
    with pytest.raises(BrokenPromise, match=r"value-1\.json with the weights is not there"):
        the_value_function_makes_ledgers_that_add_up(KIND)
    assert KINDS[KIND].usable_value is None
    value.file.write_text(json.dumps(WEIGHTS))
    the_value_function_makes_ledgers_that_add_up(KIND)
    made = ledger_of(played(HighestCard(), 3), KINDS[KIND].usable_value)
    assert any(abs(luck) > 0.01 for luck in made.luck)


def test_without_a_plan_a_move_is_compared_with_the_mean_of_all_legal_ones(value: ValueFunction) -> None:
    value.file.write_text(json.dumps(WEIGHTS))
    log = played(HighestCard(), 3)[:4]
    fold = fold_game(log)
    rules, [seat] = fold.rules, fold.to_act()
    choices = rules.legal_actions(fold.state, seat)
    after = [[*log, *rules.decide(fold.state, seat, card, SeedDealer(bytes(32)))] for card in choices]
    made = [ledger_of(each, value) for each in after]
    gains = [entry.gains for each in made for entry in each.entries if (entry.sort, entry.version) == (DECISION, 5)]
    assert {each.policy for each in made} == {"random"}
    assert len(gains) > 2
    assert sum(gain[seat] for gain in gains) == pytest.approx(0, abs=1e-9)


def test_a_fit_is_compared_with_other_games_and_warns_of_too_few(
    value: ValueFunction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fit, "CHECKED", 20)
    value.file.write_text(json.dumps(WEIGHTS))
    warning, figures, *_ = diagnosis(value, 40)
    assert warning == "Warning: 40 games are few for 3 weights. Use --games 300 or more."
    assert figures.startswith("20 other games, ")
    assert [line for line in diagnosis(value, 400) if line.startswith("Warning")] == []
    value.file.write_text(json.dumps({**WEIGHTS, "weights": {"tricks": -1.0, "cards": -0.5}}))
    again = type(value)(value.rules, value.file)
    assert list(diagnosis(again, 400))[-1].startswith("Warning: the values say less than equal chances.")
