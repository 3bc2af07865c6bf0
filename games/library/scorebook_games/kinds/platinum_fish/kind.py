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
from scorebook_games.kinds.platinum_fish.value import PlatinumFishValue

FOLDER: Final = Path(__file__).parent
RULES: Final = PlatinumFish()

KIND: Final = Kind(
    contract=1,
    folder=FOLDER,
    rules=RULES,
    value=PlatinumFishValue(RULES, FOLDER / "value-1.json"),
    observation=PlatinumFishObservation,
    presentation=PlatinumFishPresentation(),
    bots=KindBots(
        plan=platinum_fish,
        guide=PlatinumFishGuide(),
        ratings={"random": 1160.0, "strong": 1565.0},
        review_positions=900_000,
    ),
)
