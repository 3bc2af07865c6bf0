"""Platinum Fish, as its entry point `scorebook.kinds` offers it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scorebook_games.kind import Kind, KindBots
from scorebook_games.kinds.platinum_fish import PlatinumFish
from scorebook_games.kinds.platinum_fish.fields import PlatinumFishObservation
from scorebook_games.kinds.platinum_fish.guide import PlatinumFishGuide
from scorebook_games.kinds.platinum_fish.plan import platinum_fish
from scorebook_games.kinds.platinum_fish.presentation import PlatinumFishPresentation

KIND: Final = Kind(
    contract=1,
    folder=Path(__file__).parent,
    rules=PlatinumFish(),
    observation=PlatinumFishObservation,
    presentation=PlatinumFishPresentation(),
    bots=KindBots(plan=platinum_fish, guide=PlatinumFishGuide(), ratings={"random": 1160.0, "strong": 1565.0}),
)
