"""Formats decide who meets whom. They are pure: no rows, no clock, and the caller supplies all chance."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any, Final

from tournaments.formats.arena import Arena
from tournaments.formats.double_elimination import DoubleElimination
from tournaments.formats.format import Format
from tournaments.formats.groups import Groups
from tournaments.formats.knockout import Knockout
from tournaments.formats.ladder import Ladder
from tournaments.formats.round_robin import DoubleRoundRobin, RoundRobin
from tournaments.formats.swiss import Swiss
from tournaments.scoring.tie_breaks import TIE_BREAKS

_OURS: tuple[Format, ...] = (
    RoundRobin(1),
    DoubleRoundRobin(),
    Knockout(),
    DoubleElimination(),
    Groups(),
    Ladder(),
    Arena(),
    Swiss(),
)
FORMATS: Final[dict[str, Format]] = {each.key: each for each in _OURS}


def _offered(group: str) -> Iterator[Any]:
    """Yield what installed packages offer by entry points of `group`. It is loaded here, after all that it may use."""
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        yield point.load()()


FORMATS.update({each.key: each for each in _offered("scorebook.formats")})
TIE_BREAKS.update({each.key: each for each in _offered("scorebook.tie_breaks")})
