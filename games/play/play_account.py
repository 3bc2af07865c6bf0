"""How well a bot played, beside how its games ended: results without luck, and the decisions that cost most.

Luck ledgers say both. Another package has them and answers `signals.asking_play`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, cast

from games.models import Player
from games.play import signals


@dataclass(frozen=True, slots=True)
class FormStep:
    """A group of games that follow one another, up to the game number `games`, in shares of 1."""

    games: int
    result: float
    adjusted: Annotated[float, "Result − luck."]


@dataclass(frozen=True, slots=True)
class Form:
    """Results in one kind against luck, in shares of 1: the means of the games that have a luck ledger."""

    kind: str
    games: Annotated[int, "Those that have a luck ledger."]
    result: Annotated[float, "The share of the opponents that it finished ahead of."]
    luck: Annotated[float, "What all draws were worth."]
    adjusted: Annotated[float, "Result − luck: has the same mean as the result, and spreads less."]
    error: Annotated[float, "The standard error of `adjusted`."]
    result_error: Annotated[float, "The standard error of `result`."]
    steps: Annotated[list[FormStep], "Equal groups of these games, the earliest first; none for few games."]


@dataclass(frozen=True, slots=True)
class CostlyMoment:
    """A decision that cost much: `version` is the moment before it in the game."""

    game: str
    seat: int
    version: int
    cost: Annotated[float, "Beside the usual moves, all cards known, in shares of 1."]


@dataclass(frozen=True, slots=True)
class DecisionSort:
    """Decisions of one sort, and what they cost beside the usual moves, in shares of 1."""

    kind: str
    sort: Annotated[str, "The first word of the moves’ notation; empty for turns without a move."]
    label: str
    decisions: Annotated[int, "Those in which more than one move was usual."]
    cost: Annotated[float, "The mean of each game that has a luck ledger."]
    error: Annotated[float, "The standard error of `cost`."]
    moments: list[CostlyMoment]


@dataclass(frozen=True, slots=True)
class PlayAccount:
    """The form of a player in each kind, and what it loses most on, the costliest first."""

    form: list[Form] = field(default_factory=list)
    costs: list[DecisionSort] = field(default_factory=list)


def play_account(player: int, games: Sequence[int]) -> PlayAccount:
    """Return the account of `player` in these games, which are open to all."""
    asked = signals.asking_play.send(sender=Player, player=player, games=games)
    found = [cast("PlayAccount", answer) for _receiver, answer in asked]
    return PlayAccount([each for one in found for each in one.form], [each for one in found for each in one.costs])
