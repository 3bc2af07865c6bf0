"""What a finished game counted for: ratings and points of a match, which other packages know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from games.models import Game
from games.play import signals


class MatchPoints(NamedTuple):
    """Points of a match so far, as a number and as pages show it (1½)."""

    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a game counted for, by player: the rating before and after it, and the points of the match so far.

    `match` names its match, with an address, and `waits` says why ratings have not changed yet; "" if nothing waits.
    """

    ratings: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    points: Mapping[int, MatchPoints] = field(default_factory=dict)
    match: str = ""
    address: str = ""
    waits: str = ""


def stakes_of(game: Game) -> Stakes:
    """Return what `game` counted for, by all packages that know something of it."""
    found = [cast("Stakes", answer) for _receiver, answer in signals.asking_stakes.send(sender=Game, game=game)]
    return Stakes(
        ratings={player: change for each in found for player, change in each.ratings.items()},
        points={player: points for each in found for player, points in each.points.items()},
        match=next((each.match for each in found if each.match), ""),
        address=next((each.address for each in found if each.match), ""),
        waits=next((each.waits for each in found if each.waits), ""),
    )
