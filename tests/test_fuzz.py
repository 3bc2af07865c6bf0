"""Games of every kind that nobody thought of (`tests.fuzz`); 20,000 and more with `python -m tests.fuzz`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from scorebook_games.conformance.game import BrokenPromise
from scorebook_games.contract import Dealer, Event, IllegalMove
from scorebook_games.kinds.chinese_ten.rules import ChineseTen
from scorebook_games.registry import KINDS
from tests.fuzz.machine import GameMachine, machine_of
from tests.fuzz.play import play_again
from tests.scorebook_games.kinds.test_hidden import Leaky

GAMES, MORE = 4, 60


class Deaf(ChineseTen):
    """Chinese Ten with a fault: it takes no move that lays a card down."""

    def decide(self, state: Any, seat: int, action: int, dealer: Dealer) -> list[Event]:
        if self.move_text(state, action).startswith("lay"):
            raise IllegalMove("no_lay", "CT-7", "Nothing may be laid.")
        return super().decide(state, seat, action, dealer)


@pytest.mark.some(2)
@pytest.mark.parametrize("games", [GAMES, pytest.param(MORE, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nothing_that_is_done_to_a_game_breaks_it(kind: str, games: int) -> None:
    """What must always hold is in `tests.fuzz.checks`."""
    run_state_machine_as_test(machine_of((kind,)), settings=chosen(games))


def chosen(games: int, *phases: Phase) -> settings:
    """Always the same games."""
    return settings(
        max_examples=games,
        stateful_step_count=12,
        deadline=None,
        derandomize=True,
        database=None,
        phases=phases or list(Phase),
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("faulty", [Deaf(), Leaky("observation")], ids=["deaf", "leaky"])
def test_a_fault_is_found_and_its_game_can_be_played_again(faulty: ChineseTen, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the test: what it reports is a kind, options, a seed and moves that come to the same place."""
    monkeypatch.setitem(KINDS, "chinese_ten", replace(KINDS["chinese_ten"], rules=faulty))
    with pytest.raises((AssertionError, IllegalMove, BrokenPromise)):
        run_state_machine_as_test(machine_of(("chinese_ten",)), settings=chosen(MORE, Phase.generate))
    found = GameMachine.latest
    assert found is not None
    again = play_again(found.setup.plain(), found.story[:-1])
    assert again.log == found.log[: again.fold.version]
