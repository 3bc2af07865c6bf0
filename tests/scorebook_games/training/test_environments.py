"""Environments for machine learning: every kind under PettingZoo's and OpenSpiel's own tests."""

from __future__ import annotations

import pickle
import random
import warnings
from copy import deepcopy

import numpy as np
import pyspiel
import pytest
from pettingzoo.test import api_test

from scorebook_games.registry import KINDS
from scorebook_games.training.aec import GameEnv
from scorebook_games.training.openspiel import ScorebookGame, register_kinds
from scorebook_games.training.playouts import play_outs
from scorebook_games.training.session import Session, seed_of, shares
from scorebook_games.training.vector import Batch

ABOUT_SPACES = "Observation"  # PettingZoo prefers a Box to a dictionary, which holds the mask


@pytest.mark.parametrize("kind", KINDS)
def test_pettingzoo_accepts_every_kind(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=ABOUT_SPACES)
        warnings.filterwarnings("ignore", category=ResourceWarning)  # of what an earlier test left to the collector
        api_test(GameEnv(kind, KINDS[kind].spec.seats_min + 1), num_cycles=60)


def test_a_game_by_the_mask_ends_with_results_that_sum_to_nothing() -> None:
    env = GameEnv("chinese_ten")
    env.reset(seed=3)
    chance = np.random.default_rng(1)
    while not all(env.terminations.values()):
        mask = env.observe(env.agent_selection)["action_mask"]
        assert int(mask.sum()) == len(env.infos[env.agent_selection]["moves"]) > 0
        env.step(int(chance.choice(np.flatnonzero(mask))))
    assert sorted(env.rewards.values()) in ([-1.0, 1.0], [0.0, 0.0])


def test_the_seat_that_is_not_asked_is_offered_nothing_and_a_masked_action_is_refused() -> None:
    env = GameEnv("palace")
    env.reset(seed=1)
    other = next(agent for agent in env.agents if agent != env.agent_selection)
    assert env.observe(other)["action_mask"].sum() == 0
    before = env.session.state.plain()
    with pytest.raises(ValueError, match=r"is offered \d+ moves, and 127 is none of them"):
        env.step(127)
    assert env.session.state.plain() == before


@pytest.mark.parametrize("kind", KINDS)
def test_openspiel_plays_and_clones_every_kind(kind: str) -> None:
    chance = random.Random(1)
    state = ScorebookGame(kind, seeds=16).new_initial_state()
    state.apply_action(chance.choice([seed for seed, _ in state.chance_outcomes()]))
    for _ in range(60):
        if state.is_terminal():
            break
        twin, action = state.clone(), chance.choice(state.legal_actions())
        before = str(state)
        twin.apply_action(action)
        assert str(state) == before  # a clone is independent
        state.apply_action(action)
        assert str(state) == str(twin)


def test_openspiels_own_test_passes_with_serialisation() -> None:
    register_kinds()
    game = pyspiel.load_game("scorebook_chinese_ten(players=3,seeds=64)")
    assert (game.num_players(), game.max_chance_outcomes()) == (3, 64)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_a_copy_and_a_pickle_of_a_game_go_on_with_the_same_chance() -> None:
    session = Session("palace", 3, seed=seed_of(5))
    for _ in range(20):
        session.play(0)
    twins = [deepcopy(session), pickle.loads(pickle.dumps(session))]
    for _ in range(20):
        session.play(0)
    for twin in twins:
        assert twin.state.plain() != session.state.plain()
        for _ in range(20):
            twin.play(0)
        assert twin.state.plain() == session.state.plain()


def test_a_batch_begins_a_new_game_where_one_has_ended() -> None:
    batch = Batch("chinese_ten", 2, first=7)
    ended = 0
    for _ in range(200):
        _, moves, masks = batch.observe()
        assert moves.shape == (2, 128, 64)
        results, over = batch.step([0, 0])
        assert (masks.sum(axis=1) > 0).all()
        assert (results.sum(axis=1) == 0).all()
        ended += int(over.sum())
    assert ended >= 4
    assert sum(batch.numbers) == 7 + 8 + 2 * ended


def test_play_outs_are_the_same_in_any_number_of_processes() -> None:
    alone, together = play_outs("chinese_ten", 6), play_outs("chinese_ten", 6, processes=2)
    assert (alone.results, alone.steps) == (together.results, together.steps)
    assert play_outs("chinese_ten", 3, first=3).results == alone.results[3:]


def test_shares_are_the_others_behind_minus_those_ahead() -> None:
    assert shares([1, 2, 2, 4]) == pytest.approx([1, 0, 0, -1])
    assert shares([1, 1]) == [0, 0]
