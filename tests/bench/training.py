"""Measures how many steps a second the environments for machine learning make, beside games of OpenSpiel and RLCard.

    python -m tests.bench.training [--seconds 2]

It prints steps a second, and the ratio to OpenSpiel's gin rummy, in one run on one processor. RLCard has a row if it is
installed. SCOREBOOK_ENGINE_BUILD=compiled uses the compiled engines.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from functools import partial

import open_spiel.python.games  # noqa: F401  registers its Python games
import pyspiel

from scorebook_games.registry import KINDS
from scorebook_games.training.aec import GameEnv
from scorebook_games.training.openspiel import ScorebookGame
from scorebook_games.training.playouts import play_outs
from scorebook_games.training.session import Session, seed_of


def rate(play: Callable[[int], int], seconds: float) -> float:
    """Return the steps a second of `play`, which plays the game with this number and returns its steps."""
    play(0)
    steps, number, began = 0, 0, time.process_time()
    while time.process_time() - began < seconds:
        number += 1
        steps += play(number)
    return steps / (time.process_time() - began)


def play_out(kind: str, number: int) -> int:
    """Play one game as `play_outs` does, and return its steps."""
    return play_outs(kind, 1, first=number).steps


def session_game(kind: str, number: int) -> int:
    """Play one game by listed moves, and return its decisions."""
    session, chance = Session(kind, seed=seed_of(number)), random.Random(number)
    while not session.over:
        session.play(int(chance.random() * len(session.actions)))
    return session.decisions


def aec_game(env: GameEnv, number: int) -> int:
    """Play one game with an observation for each decision, as PettingZoo's loop does, and return its steps."""
    env.reset(seed=number)
    chance, steps = random.Random(number), 0
    while True:
        observation, _, ended, _, _ = env.last()
        if ended:
            return steps
        env.step(int(chance.random() * int(observation["action_mask"].sum())))
        steps += 1


def openspiel_game(game: pyspiel.Game, number: int) -> int:
    """Play one game of OpenSpiel at random, without observations, and return its steps."""
    state, chance, steps = game.new_initial_state(), random.Random(number), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chance.choices(outcomes, weights)[0])
        else:
            state.apply_action(chance.choice(state.legal_actions()))
            steps += 1
    return steps


def rlcard_rates(seconds: float) -> dict[str, float]:
    """Return RLCard's steps a second with its random agent; empty if it is not installed."""
    try:
        import rlcard
        from rlcard.agents import RandomAgent
    except ImportError:
        return {}
    env = rlcard.make("gin-rummy")
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])
    return {"RLCard gin-rummy, with observations": rate(lambda _: len(env.run()[0][0]) - 1, seconds)}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="of processor time for each row (2)")
    seconds = parser.parse_args().seconds
    gin, kuhn = pyspiel.load_game("gin_rummy"), pyspiel.load_game("python_kuhn_poker")
    base = rate(partial(openspiel_game, gin), seconds)
    rates = {"OpenSpiel gin_rummy (C++), random": base}
    rates["OpenSpiel python_kuhn_poker, random"] = rate(partial(openspiel_game, kuhn), seconds)
    rates |= rlcard_rates(seconds)
    for kind in KINDS:
        rates[f"{kind}: play-outs"] = rate(partial(play_out, kind), seconds)
        rates[f"{kind}: listed moves"] = rate(partial(session_game, kind), seconds)
        rates[f"{kind}: OpenSpiel, random"] = rate(partial(openspiel_game, ScorebookGame(kind, seeds=64)), seconds)
        rates[f"{kind}: PettingZoo, with observations"] = rate(partial(aec_game, GameEnv(kind)), seconds)
    for name, steps in rates.items():
        print(f"{name:45} {steps:10,.0f} steps/s  {steps / base:6.2f}")


if __name__ == "__main__":
    main()
