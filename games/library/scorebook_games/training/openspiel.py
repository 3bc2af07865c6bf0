"""OpenSpiel's games for any kind. Needs OpenSpiel (``scorebook-games[openspiel]``).

All chance of a game is drawn at its beginning: the first node chooses one of `seeds` seeds, and what a draw shows comes
from the seed when it is due, as on the platform. No player knows the seed, so nobody knows a card before it is shown.
A game tree has therefore as many deals as `seeds`.

An action is the index of a move in the list that the seat is offered; `State.action_to_string` gives its text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import pyspiel

from scorebook_games.registry import KINDS, rules_for
from scorebook_games.training.session import Session, seed_of
from scorebook_games.training.vector import MOVES, OBSERVATION_SIZE, observation_array

SEEDS: Final = 1024
MAX_DECISIONS: Final = 1_000_000


def game_type(kind: str) -> pyspiel.GameType:
    """Return what OpenSpiel wants to know of a kind. Raises `UnknownKind`."""
    spec = rules_for(kind).spec
    return pyspiel.GameType(
        short_name=f"scorebook_{kind}",
        long_name=f"Scorebook {spec.title}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=spec.seats_max,
        min_num_players=spec.seats_min,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": spec.seats_min, "seeds": SEEDS},
    )


class ScorebookGame(pyspiel.Game):  # type: ignore[misc] # has no types
    """A game of `kind`. Raises `UnknownKind` and `OptionError`."""

    def __init__(
        self, kind: str, seats: int | None = None, options: Mapping[str, Any] | None = None, seeds: int = SEEDS
    ) -> None:
        rules = rules_for(kind)
        seats = rules.spec.seats_min if seats is None else seats
        rules.resolve(seats, options or {})
        self.session = partial(Session, kind, seats, dict(options or {}))
        self.seats, self.seeds = seats, seeds
        info = pyspiel.GameInfo(
            num_distinct_actions=MOVES,
            max_chance_outcomes=seeds,
            num_players=seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MAX_DECISIONS,
        )
        super().__init__(game_type(kind), info, {"players": seats, "seeds": seeds})

    def new_initial_state(self) -> ScorebookState:
        """Return the state before a seed is chosen."""
        return ScorebookState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:  # noqa: ARG002
        """Return what turns a state into what a player knows."""
        return Observer()


class ScorebookState(pyspiel.State):  # type: ignore[misc] # has no types
    """A position of a game, or the node before it at which chance chooses the seed."""

    def __init__(self, game: ScorebookGame) -> None:
        super().__init__(game)
        self.begin, self.seats, self.seeds = game.session, game.seats, game.seeds
        self.session: Session | None = None

    def current_player(self) -> int:
        """Return the seat that is asked, or OpenSpiel's numbers for chance and for the end."""
        if self.session is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.session.over else self.session.seat

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the seeds, all equally likely."""
        return [(seed, 1 / self.seeds) for seed in range(self.seeds)]

    def _legal_actions(self, player: int) -> list[int]:
        assert self.session
        return list(range(min(MOVES, len(self.session.actions)))) if player == self.session.seat else []

    def _apply_action(self, action: int) -> None:
        if self.session is None:
            self.session = self.begin(seed_of(action))
        else:
            self.session.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE or self.session is None:
            return f"seed {action}"
        return self.session.rules.move_text(self.session.state, self.session.actions[action])

    def is_terminal(self) -> bool:
        """Return whether the game has ended."""
        return self.session is not None and self.session.over

    def returns(self) -> list[float]:
        """Return the result of each seat (`scorebook_games.training.session.shares`), zeros while the game is on."""
        return self.session.results() if self.session else [0.0] * self.seats

    def __str__(self) -> str:
        return "before the deal" if self.session is None else json.dumps(self.session.state.plain())


class Observer:
    """What a player knows: a tensor (512,) of features, and the observation as JSON."""

    def __init__(self) -> None:
        self.tensor = np.zeros(OBSERVATION_SIZE, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: ScorebookState, player: int) -> None:
        """Fill `tensor` with what `player` knows in `state`."""
        self.tensor[:] = 0 if state.session is None else observation_array(state.session, player)

    def string_from(self, state: ScorebookState, player: int) -> str:
        """Return what `player` knows in `state`."""
        return "" if state.session is None else json.dumps(state.session.observation(player), sort_keys=True)


def register_kinds() -> None:
    """Make ``pyspiel.load_game("scorebook_palace(players=3,seeds=64)")`` work for every loaded kind."""
    for kind in KINDS:
        pyspiel.register_game(game_type(kind), _class_of(kind))


def _class_of(kind: str) -> type[ScorebookGame]:
    """Return a class that takes OpenSpiel's parameters.

    A function would not do: OpenSpiel frees it after the interpreter has ended, which is a fatal error.
    """

    class KindGame(ScorebookGame):
        def __init__(self, parameters: Mapping[str, Any]) -> None:
            super().__init__(kind, parameters.get("players"), seeds=parameters.get("seeds", SEEDS))

    return KindGame
