"""Formats decide who meets whom. They are pure: no rows, no clock, and the caller supplies all chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tournaments.formats.arena import Arena
from tournaments.formats.base import Format
from tournaments.formats.double_elimination import DoubleElimination
from tournaments.formats.groups import Groups
from tournaments.formats.knockout import Knockout
from tournaments.formats.ladder import LEGACY_SETTINGS, Ladder
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.swiss import Swiss

FORMATS: dict[str, Format] = {
    "round_robin": RoundRobin(1),
    "double_round_robin": RoundRobin(2),
    "knockout": Knockout(),
    "double_elimination": DoubleElimination(),
    "groups": Groups(),
    "ladder": Ladder(),
    "arena": Arena(),
    "swiss": Swiss(),
}

# Formats in which it would be unfair if the results of an early withdrawal stood, because everybody meets everybody.
ALL_MEET = ("round_robin", "double_round_robin")
# Formats in which a result decides who goes on. It is final once the next round is paired.
BRACKETS = ("knockout", "double_elimination", "groups")
CUPS = ("knockout", "double_elimination")  # formats that place entrants by the stage they reached alone
USES_TIE_BREAKS = tuple(name for name, one in FORMATS.items() if one.by_points or name == "groups")


def uses_dummies(name: str, table_size: int) -> bool:
    """Return whether unplayed rounds count as matches against a dummy in tie-breaks (FIDE C.07, article 16): where each
    round is paired from the results before it. In a round robin of pairs everybody knows whom they have missed, and an
    arena or ladder has no rounds to miss."""
    return name == "swiss" or (table_size > 2 and name in (*ALL_MEET, "groups"))


def options_kept(format: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the format's own settings of a season, with neutral values for settings that are newer than the season."""
    return {**(LEGACY_SETTINGS if format == "ladder" else {}), **settings}
