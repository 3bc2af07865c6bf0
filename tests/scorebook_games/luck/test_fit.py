"""`scorebook-kind fit` writes the file of a value function's weights (scorebook_games.luck.fit)."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorebook_games.kinds.chinese_ten.kind import KIND
from scorebook_games.luck import fit
from scorebook_games.registry import KINDS
from scorebook_games.value import ValueFunction


@pytest.fixture
def value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ValueFunction:
    """Let Chinese Ten have its value function in a folder of its own."""
    assert KIND.value
    for name in ("value.py", "value-1.json"):
        shutil.copy(KIND.folder / name, tmp_path)
    own = type(KIND.value)(KIND.rules, tmp_path / "value-1.json")
    monkeypatch.setitem(KINDS, "chinese_ten", replace(KIND, value=own))
    return own


def test_a_fit_that_is_interrupted_leaves_the_weights_of_before(
    value: ValueFunction, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_given: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(fit, "refined", interrupted)
    before = value.file.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        fit.write_fitted("chinese_ten", 6, 3, 1)
    assert value.file.read_bytes() == before
    assert sorted(path.name for path in value.file.parent.iterdir()) == ["value-1.json", "value.py"]


def test_a_fit_writes_the_weights_with_what_they_were_fitted_to(value: ValueFunction) -> None:
    made = fit.write_fitted("chinese_ten", 6, 0, 2)
    assert (made.file.name, made.fault) == ("value-2.json", "")
    stored = json.loads(made.file.read_text())
    assert {name: stored[name] for name in ("kind", "version", "games", "luck_games")} == {
        "kind": "chinese_ten",
        "version": 2,
        "games": 6,
        "luck_games": 0,
    }
    assert sorted(path.name for path in made.file.parent.iterdir()) == ["value-1.json", "value-2.json", "value.py"]


def test_the_spread_alone_is_fitted_to_the_mixes_that_the_kind_names_and_nothing_else_changes(
    value: ValueFunction, monkeypatch: pytest.MonkeyPatch
) -> None:
    mixes: list[str] = []
    generate = fit.generate

    def noting(*given: Any, mix: str, **options: Any) -> Any:
        mixes.append(mix)
        return generate(*given, mix=mix, **options)

    monkeypatch.setattr(fit, "generate", noting)
    monkeypatch.setattr(type(value), "mixes", ("sensible", "sensible", "careless"))
    before = json.loads(value.file.read_text())
    made = fit.write_spread("chinese_ten", 6, 1)
    after = json.loads(made.file.read_text())
    assert sorted(mixes) == ["careless", "sensible", "sensible"]
    assert after.pop("spread") != before.pop("spread")
    assert after == before
