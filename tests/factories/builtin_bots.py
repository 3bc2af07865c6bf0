"""Creates players whose moves come from the built-in bots."""

from __future__ import annotations

from games.models import Player
from games.play.roster import ensure_builtin_bot
from scorebook_games.bots.builtin import BUILTIN_BOTS


def ensure_builtin_bots() -> dict[str, Player]:
    """One player for each bot of the platform, by the name of its program."""
    return {name: ensure_builtin_bot(name) for name in BUILTIN_BOTS}
