"""A player in the API."""

from __future__ import annotations

from typing import Any

from games.models import Player


def player_data(player: Player) -> dict[str, Any]:
    """Return a player as JSON data, the same wherever a player is named."""
    version = player.bot_version
    number, agent = (version.number, version.is_agent) if version else (None, False)
    return {"id": player.pk, "name": player.name, "bot": player.is_bot, "bot_version": number, "agent": agent}
