"""Makes exports of games that are played without a server."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from scorebook_games.cli.players import BuiltInPlayer
from scorebook_games.cli.record import exported
from scorebook_games.cli.table import Table
from scorebook_games.registry import KINDS

SEED = bytes(range(32))


def export(kind: str, names: tuple[str, ...] = ("Martha", "Laura"), limit: int = 60) -> dict[str, Any]:
    """Play a game of built-in bots under these names, and return its export."""
    options = {"turn_limit": limit} if any(each.name == "turn_limit" for each in KINDS[kind].spec.options) else {}
    players = [BuiltInPlayer("sensible", SEED) for _ in names]
    played = Table(kind, players, options, SEED, 0).play()
    played.names[:] = names
    return exported(played, datetime(2026, 11, 21, 12, tzinfo=UTC))
