"""What has to be so before bots that play over the API sit down at a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from games.clockwork.reckoning import rate_of
from games.engines.base import OptionError
from games.models import Player

NEEDS_A_CLOCK: Final = "A remote bot plays on a clock, or nobody would know that it is gone: give seconds or days."


def check(players: Sequence[Player], terms: Mapping[str, Any]) -> None:
    """Raise `OptionError` where remote bots among `players` can't play by `terms`, or one of them sits there twice."""
    versions = [player.bot_version for player in players if player.bot_version and player.bot_version.is_remote]
    bots = [version.bot_id for version in versions]
    if len(set(bots)) < len(bots):
        raise OptionError("players", "A remote bot can sit in one seat of a game only, like a person.")
    if versions and rate_of(terms) is None:
        raise OptionError("move_seconds", NEEDS_A_CLOCK)


def stays_away(player: Player, terms: Mapping[str, Any]) -> bool:
    """Whether `player` is a remote bot, and games on `terms` have no clock."""
    version = player.bot_version
    return version is not None and version.is_remote and rate_of(terms) is None
