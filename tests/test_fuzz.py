"""Games of every kind that nobody thought of (`tests.fuzz`); 20,000 and more with `python -m tests.fuzz`."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from games.kinds import KINDS
from tests.fuzz.machine import machine_of

GAMES = 60


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nothing_that_is_done_to_a_game_breaks_it(kind: str) -> None:
    """What must always hold is in `tests.fuzz.checks`."""
    chosen = settings(
        max_examples=GAMES,
        stateful_step_count=12,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine_of((kind,)), settings=chosen)
