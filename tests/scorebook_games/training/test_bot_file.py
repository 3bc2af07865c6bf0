"""A trained policy becomes a bot of one file, which needs only the standard library and chooses the same moves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scorebook_games.bots.source import MAX_SOURCE_BYTES
from scorebook_games.training.examples.bot_file import bot_source
from scorebook_games.training.session import Session
from scorebook_games.training.vector import MOVE_SIZE, OBSERVATION_SIZE, move_arrays, observation_array

HIDDEN = 64


def random_weights() -> dict[str, Any]:
    chance = np.random.default_rng(4)
    return {
        "position": chance.normal(size=(OBSERVATION_SIZE, HIDDEN)) / 8,
        "inner": chance.normal(size=(HIDDEN, HIDDEN)) / 8,
        "move": chance.normal(size=(MOVE_SIZE, HIDDEN)),
        "alone": chance.normal(size=MOVE_SIZE),
    }


def test_the_bot_chooses_as_the_network_does() -> None:
    weights = random_weights()
    source = bot_source("palace", weights)
    assert len(source) < MAX_SOURCE_BYTES
    names: dict[str, Any] = {}
    exec(compile(source, "trained.py", "exec"), names)
    bot = names["Bot"]()
    session, different = Session("palace"), 0
    for _ in range(60):
        seen, offered = session.observation(session.seat), session.moves()
        inner = np.tanh(np.tanh(observation_array(session, session.seat) @ weights["position"]) @ weights["inner"])
        found = move_arrays(offered, len(offered))
        best = int(np.argmax(np.tanh(found @ weights["move"]) @ inner + found @ weights["alone"]))
        chosen = bot.move(SimpleNamespace(observation=seen, seat=session.seat), offered)
        different += chosen != offered[best]
        session.play(offered.index(chosen))
    assert different <= 1  # weights are rounded to 1/4096


@pytest.mark.slow
def test_the_bot_passes_the_kits_check(tmp_path: Path) -> None:
    (tmp_path / "trained.py").write_text(bot_source("palace", random_weights()))
    command = [sys.executable, "-m", "scorebook_games.cli", "play", "trained.py", "palace", "--against", "random"]
    done = subprocess.run(
        [*command, "--games", "2"], cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "faults          none" in done.stdout
