"""How a competition decides who meets whom. Pure: no rows, no clock, chance handed in."""

from __future__ import annotations

from tournaments.formats.base import Format
from tournaments.formats.round_robin import RoundRobin

FORMATS: dict[str, Format] = {"round_robin": RoundRobin(1), "double_round_robin": RoundRobin(2)}
