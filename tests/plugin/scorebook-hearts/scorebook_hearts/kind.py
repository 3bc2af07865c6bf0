"""The kind Hearts: its rules, its texts, and a plan for the bot *sensible*."""

from __future__ import annotations

from pathlib import Path

from scorebook_games.kind import Kind, KindBots

from .plan import plan
from .presentation import HeartsPresentation
from .rules import Hearts

KIND = Kind(
    contract=1,
    folder=Path(__file__).parent,
    rules=Hearts(),
    presentation=HeartsPresentation(),
    bots=KindBots(plan=plan),
)
