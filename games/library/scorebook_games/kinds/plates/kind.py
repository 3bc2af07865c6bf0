"""Plates, as its entry point `scorebook.kinds` offers it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scorebook_games.kind import Kind, KindBots
from scorebook_games.kinds.plates.fields import PlatesObservation
from scorebook_games.kinds.plates.guide import PlatesGuide
from scorebook_games.kinds.plates.plan import plates
from scorebook_games.kinds.plates.presentation import PlatesPresentation
from scorebook_games.kinds.plates.rules import Plates
from scorebook_games.kinds.plates.value import PlatesValue

FOLDER: Final = Path(__file__).parent
RULES: Final = Plates()

KIND: Final = Kind(
    contract=1,
    folder=FOLDER,
    rules=RULES,
    value=PlatesValue(RULES, FOLDER / "value-1.json"),
    observation=PlatesObservation,
    presentation=PlatesPresentation(),
    bots=KindBots(
        plan=plates,
        guide=PlatesGuide(),
        ratings={"random": 1100.0, "strong": 1870.0},
        review_positions=900_000,
        review_hope=0.22,
    ),
)
