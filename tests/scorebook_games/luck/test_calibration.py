"""What a value function is judged by: tenths of its values, and its drift."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from scorebook_games.contract import Dealer, Event
from scorebook_games.kinds.chinese_ten.kind import KIND
from scorebook_games.kinds.chinese_ten.value import ChineseTenValue, Position
from scorebook_games.luck.drift import drift_of, steps
from scorebook_games.luck.fit import Positions, calibration, of_mixes
from scorebook_games.luck.games import KNOWING, MIXES, RANDOM, play, players_of
from scorebook_games.luck.ledger import CHANCE, ledger_of
from scorebook_games.value import Draw


def game(values: list[float], share: float) -> Positions:
    return Positions(values=[[value, 1 - value] for value in values], shares=[share, 1 - share])


def test_a_tenth_has_its_mean_its_result_and_an_error_that_takes_games_as_independent() -> None:
    tenths = calibration([game([0.22, 0.26], 0.0), game([0.24], 1.0)])
    low, high = tenths
    assert (low.values, high.values) == (3, 3)
    assert low.mean == pytest.approx(0.24)
    assert low.result == pytest.approx(1 / 3)
    assert low.off == pytest.approx(1 / 3 - 0.24)
    off = low.off
    assert low.error == pytest.approx(((-0.48 - 2 * off) ** 2 + (0.76 - off) ** 2) ** 0.5 / 3)
    assert high.off == pytest.approx(-off)


def test_all_players_of_an_alike_table_are_equally_careless() -> None:
    rng = random.Random(0)
    tables = {mix: [players_of(mix, 3, rng) for _ in range(50)] for mix in MIXES}
    assert all(len(set(table)) == 1 for mix in ("sensible", "careless", "alike", "random") for table in tables[mix])
    assert all(any(len(set(table)) > 1 for table in tables[mix]) for mix in ("mixed", "wild"))
    assert {player for table in tables["mixed"] for player in table} == {0.0, 0.1, 0.3}


def test_weights_are_fitted_to_games_of_players_who_know_the_game_and_of_two_if_to_shares() -> None:
    assert all(RANDOM not in MIXES[mix].players for mix in KNOWING)
    assert KIND.value
    value = type(KIND.value)(KIND.rules, KIND.value.file)
    sizes = [len(game.shares) for game in of_mixes(value, 12, KNOWING)]
    assert sizes == [2, 3, 2, 4] * 3
    value.by_share = True
    assert [len(game.shares) for game in of_mixes(value, 3, KNOWING)] == [2, 2, 2]


class Falling(ChineseTenValue):
    """Every card in the deck is worth a point of 100, and nothing else is worth anything."""

    def values_of(self, position: Position) -> list[float]:
        return [position.cards / 100] * position.seats


def test_the_drift_is_what_the_mean_after_a_draw_differs_from_the_value_before_it() -> None:
    assert KIND.value
    value = Falling(KIND.rules, KIND.value.file)
    log = play("chinese_ten", [0, 0], bytes(32))
    drifts = list(drift_of(value, log))
    draws = [entry for entry in ledger_of(log, value, deals=1).entries if entry.sort == CHANCE]
    assert len(drifts) == len(draws) - 1  # all but the deal
    assert all(drift == pytest.approx([-0.01, -0.01]) for _, _, drift in drifts)


class Noting(ChineseTenValue):
    """It notes each draw before it says what may be drawn, and every note is worth a point of 100."""

    def draws(self, state: Any, event: Event, dealer: Dealer, memory: dict[str, Any]) -> Iterator[Draw]:
        for draw in super().draws(state, event, dealer, memory):
            memory["notes"] = memory.get("notes", 0) + 1
            yield draw

    def values(self, state: Any, memory: Mapping[str, Any] | None = None) -> list[float]:
        return [(memory or {}).get("notes", 0) / 100] * 2


def test_the_value_before_a_draw_is_taken_with_what_was_remembered_before_it() -> None:
    """As Plate Spinner remembers the state before a market until GO, and forgets it with the draw."""
    assert KIND.value
    value = Noting(KIND.rules, KIND.value.file)
    befores = [step.before[0] for step in steps(value, play("chinese_ten", [0, 0], bytes(32)))]
    assert befores == pytest.approx([notes / 100 for notes in range(len(befores))])
