"""Highest Card as a kind. Words, pictures and bots can be added here; each has a default."""

from __future__ import annotations

from pathlib import Path

from scorebook_games.kind import Kind

from .rules import HighestCard

KIND = Kind(contract=1, folder=Path(__file__).parent, rules=HighestCard())
