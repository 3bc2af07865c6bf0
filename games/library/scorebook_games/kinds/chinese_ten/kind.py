"""Chinese Ten, as its entry point `scorebook.kinds` offers it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scorebook_games.kind import Kind, KindBots
from scorebook_games.kinds.chinese_ten.fields import ChineseTenObservation
from scorebook_games.kinds.chinese_ten.guide import ChineseTenGuide
from scorebook_games.kinds.chinese_ten.plan import chinese_ten
from scorebook_games.kinds.chinese_ten.presentation import ChineseTenPresentation
from scorebook_games.kinds.chinese_ten.rules import ChineseTen
from scorebook_games.kinds.chinese_ten.value import ChineseTenValue

FOLDER: Final = Path(__file__).parent
RULES: Final = ChineseTen()
KIND: Final = Kind(
    contract=1,
    folder=FOLDER,
    rules=RULES,
    value=ChineseTenValue(RULES, FOLDER / "value-1.json"),
    observation=ChineseTenObservation,
    presentation=ChineseTenPresentation(),
    bots=KindBots(
        plan=chinese_ten,
        guide=ChineseTenGuide(),
        ratings={"random": 1400.0, "strong": 1580.0},
        review_positions=900_000,
    ),
)
