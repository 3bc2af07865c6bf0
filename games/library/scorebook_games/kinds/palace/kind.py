"""Palace, as its entry point `scorebook.kinds` offers it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scorebook_games.kind import Kind, KindBots
from scorebook_games.kinds.palace import Palace
from scorebook_games.kinds.palace.fields import PalaceObservation
from scorebook_games.kinds.palace.guide import PalaceGuide
from scorebook_games.kinds.palace.plan import palace
from scorebook_games.kinds.palace.presentation import PalacePresentation
from scorebook_games.kinds.palace.value import PalaceValue

FOLDER: Final = Path(__file__).parent
RULES: Final = Palace()

KIND: Final = Kind(
    contract=1,
    folder=FOLDER,
    rules=RULES,
    value=PalaceValue(RULES, FOLDER / "value-1.json"),
    observation=PalaceObservation,
    presentation=PalacePresentation(),
    bots=KindBots(
        plan=palace,
        guide=PalaceGuide(),
        ratings={"random": 1100.0, "strong": 1670.0},
        review_positions=900_000,
        review_hope=0.08,
    ),
)
