"""Measures other libraries for `tests.bench.engines` and `play`: `python tests/bench/peers.py hearts 2`.

It imports only the standard library and the peers, so that it can run in an environment without Scorebook. It prints
JSON, which `engines` reads. OpenSpiel's engines are C++, called from Python as ours are; its chance nodes are sampled
as in its own examples. RLCard is called at its lowest level, without the observations that its environment would build.
For kaggle-environments, the local runner is measured (`env.run` with its own random agents), which is the whole path of
a game there.
"""

from __future__ import annotations

import importlib
import json
import logging
import random
import sys
import time
from collections.abc import Callable
from typing import Any

Played = tuple[int, float, float, list[int]]  # decisions, seconds to deal, seconds to play, the actions
OPEN_SPIEL = ("hearts", "crazy_eights")
RLCARD = ("uno", "gin-rummy")
KAGGLE = ("open_spiel_go_fish", "open_spiel_hearts", "open_spiel_gin_rummy", "connectx")


def sample(outcomes: list[tuple[int, float]], draw: float) -> int:
    """Draw an action from OpenSpiel's pairs (action, probability). `draw` is a number from 0 to 1."""
    for action, probability in outcomes:
        draw -= probability
        if draw <= 0:
            return action
    return outcomes[-1][0]


def open_spiel_game(game: Any, rng: random.Random) -> Played:
    """Play a random game of OpenSpiel. The chance nodes before the first decision are the deal."""
    draw = rng.random
    began = time.process_time()
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(sample(state.chance_outcomes(), draw()))
    dealt = time.process_time()
    decisions = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(sample(state.chance_outcomes(), draw()))
        else:
            actions = state.legal_actions()
            state.apply_action(actions[int(draw() * len(actions))])
            decisions += 1
    return decisions, dealt - began, time.process_time() - dealt, state.history()


def open_spiel_replay(game: Any, histories: list[list[int]]) -> Callable[[], int]:
    """Return a function that applies every action of these games again and returns the number of actions."""

    def replay() -> int:
        for history in histories:
            state = game.new_initial_state()
            for action in history:
                state.apply_action(action)
        return sum(map(len, histories))

    return replay


def rlcard_game(game: Any, rng: random.Random) -> Played:
    """Play a random game of RLCard."""
    draw = rng.random
    began = time.process_time()
    game.init_game()
    dealt = time.process_time()
    decisions = 0
    legal = game.judge.get_legal_actions if hasattr(game, "judge") else game.get_legal_actions
    while not game.is_over():
        actions = list(legal())
        game.step(actions[int(draw() * len(actions))])
        decisions += 1
    return decisions, dealt - began, time.process_time() - dealt, []


def measure(name: str, seconds: float) -> dict[str, Any]:
    """Play random games for half of `seconds`, and replay them for the other half if there is a replay. Return the
    figures."""
    if name in OPEN_SPIEL:
        game, one = importlib.import_module("pyspiel").load_game(name), open_spiel_game
        seats = game.num_players()
    else:
        environment = importlib.import_module("rlcard").make(name, config={"seed": 1})
        game, one, seats = environment.game, rlcard_game, environment.num_players
    rng = random.Random(1)
    played = [one(game, rng)]
    began = time.process_time()
    while time.process_time() - began < seconds / 2:
        played.append(one(game, rng))
    decisions = sum(each[0] for each in played)
    dealing, playing = sum(each[1] for each in played), sum(each[2] for each in played)
    found = {
        "seats": seats,
        "decisions": decisions / playing,
        "whole": decisions / (playing + dealing),
        "replayed": None,
    }
    if name in OPEN_SPIEL:
        replay = open_spiel_replay(game, [each[3] for each in played[:50]])
        began, count = time.process_time(), replay()
        while (spent := time.process_time() - began) < seconds / 2:
            count += replay()
        found["replayed"] = count / spent
    return {**found, "a_game": decisions / len(played)}


def whole_path(name: str, seconds: float) -> dict[str, float]:
    """Return kaggle-environments' games per second by the clock, with the CPU ms and the decisions of a game."""
    logging.disable(logging.CRITICAL)  # the package logs each environment that it cannot load
    make = importlib.import_module("kaggle_environments").make
    wished = {"includeLegalActions": True} if name.startswith("open_spiel") else {}
    games = decisions = 0
    began, busy = 0.0, 0.0
    while games < 2 or time.perf_counter() - began < seconds:
        env = make(name, configuration=dict(wished))
        steps = env.run(["random"] * len(env.state))
        assert {seat.status for seat in steps[-1]} == {"DONE"}
        if not began:  # the first game warms up
            began, busy = time.perf_counter(), time.process_time()
            continue
        games += 1
        decisions += sum(seat.status == "ACTIVE" for step in steps[:-1] for seat in step)
    spent, worked = time.perf_counter() - began, time.process_time() - busy
    return {"games": games / spent, "cpu": 1000 * worked / games, "a_game": decisions / games}


if __name__ == "__main__":
    told = (whole_path if sys.argv[1] in KAGGLE else measure)(sys.argv[1], float(sys.argv[2]))
    print(json.dumps(told))
