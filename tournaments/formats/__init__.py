"""Formats decide who meets whom. They are pure: no rows, no clock, and the caller supplies all chance."""

from __future__ import annotations

from typing import Final

from tournaments.core.registry import Registry
from tournaments.formats.arena import Arena
from tournaments.formats.double_elimination import DoubleElimination
from tournaments.formats.format import Format, MissingFormat
from tournaments.formats.groups import Groups
from tournaments.formats.knockout import Knockout
from tournaments.formats.ladder import Ladder
from tournaments.formats.round_robin import DoubleRoundRobin, RoundRobin
from tournaments.formats.swiss import Swiss
from tournaments.formats.teams import Scheveningen, TeamRoundRobin, TeamSwiss
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
    TeamRoundRobin(),
    TeamSwiss(),
    Scheveningen(),
)
DEFAULT_FORMAT: Final = "double_round_robin"
FORMATS: Final = Registry("scorebook.formats", _OURS, MissingFormat.of)
FORMATS.load()
TIE_BREAKS.load()  # here, after all that a package may use
