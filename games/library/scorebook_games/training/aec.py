"""PettingZoo's AEC environment for any kind of game. Needs PettingZoo (``scorebook-games[pettingzoo]``).

An action is the index of a move in the list that the seat is offered, and `action_mask` says how many there are. The
list differs from position to position. Therefore the observation holds the features of each listed move beside those of
the position (`scorebook_games.training.features`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from scorebook_games.training.session import Session, seed_of
from scorebook_games.training.vector import (
    MOVE_SIZE,
    MOVES,
    OBSERVATION_SIZE,
    mask_array,
    move_arrays,
    observation_array,
)


class GameEnv(AECEnv[str, dict[str, Any], int]):  # type: ignore[misc] # has no types
    """A game of `kind` with the agents ``seat_0``, ``seat_1`` …; the number of seats is the smallest unless given.

    An observation is a dictionary: ``observation`` (512,), ``moves`` (128, 64) and ``action_mask`` (128,). A seat that
    is not asked is offered no move. Rewards come at the end, from −1 to 1 and 0 in sum: the share of the other seats
    that a seat leaves behind, minus the share ahead of it. ``infos[agent]["moves"]`` has the texts of the moves.

    Raises `UnknownKind` and `OptionError`; `step` raises ValueError for an action that the mask excludes.
    """

    def __init__(
        self,
        kind: str,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.kind, self.game_options, self.render_mode = kind, dict(options or {}), render_mode
        self.session = Session(kind, seats, self.game_options)
        self.metadata = {
            "name": f"scorebook_{kind}_v{self.session.rules.spec.rules_version}",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(self.session.seats)]
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(MOVES) for agent in self.possible_agents}
        self.number = 0

    @staticmethod
    def _observation_space() -> spaces.Dict:
        return spaces.Dict(
            {
                "observation": spaces.Box(-np.inf, np.inf, (OBSERVATION_SIZE,), np.float32),
                "moves": spaces.Box(0, np.inf, (MOVES, MOVE_SIZE), np.float32),
                "action_mask": spaces.Box(0, 1, (MOVES,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations; all agents have the same."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions; all agents have the same."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a new game: the game with number `seed`, or the next one."""
        self.number = self.number + 1 if seed is None else seed
        self.session = Session(self.kind, self.session.seats, self.game_options, seed_of(self.number))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {}
        self._ask()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what `agent` knows and the moves that it is offered."""
        seat = self.possible_agents.index(agent)
        offered = self.session.moves() if seat == self.session.seat else []
        return {
            "observation": observation_array(self.session, seat),
            "moves": move_arrays(offered),
            "action_mask": mask_array(min(len(offered), MOVES)),
        }

    def step(self, action: int | None) -> None:
        """Play a move of the agent `agent_selection`; None for an agent whose game has ended."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        try:
            self.session.play(-1 if action is None else int(action))
        except IndexError as error:
            raise ValueError(f"{error} The action mask says which are open.") from error
        if self.session.over:
            self.rewards = dict(zip(self.agents, self.session.results(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        self._ask()
        self._accumulate_rewards()

    def _ask(self) -> None:
        if not self.session.over:
            self.agent_selection = self.possible_agents[self.session.seat]
        self.infos = {agent: {"moves": []} for agent in self.agents}
        if not self.session.over:
            self.infos[self.agent_selection]["moves"] = self.session.moves()

    def render(self) -> str | None:
        """Return what the asked seat knows as text, if `render_mode` is "ansi"."""
        if self.render_mode != "ansi":
            return None
        seat = max(0, self.session.seat)
        return "\n".join(f"{key}: {value}" for key, value in self.session.observation(seat).items())

    def close(self) -> None:
        """Do nothing: an environment holds no resources."""
