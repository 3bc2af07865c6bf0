"""Plate Spinner, as its entry point `scorebook.kinds` offers it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scorebook_games.kind import Kind, KindBots
from scorebook_games.kinds.plate_spinner import PlateSpinner
from scorebook_games.kinds.plate_spinner.fields import PlateSpinnerObservation
from scorebook_games.kinds.plate_spinner.guide import PlateSpinnerGuide, forecast
from scorebook_games.kinds.plate_spinner.plan import plate_spinner
from scorebook_games.kinds.plate_spinner.presentation import PlateSpinnerPresentation
from scorebook_games.kinds.plate_spinner.value import PlateSpinnerValue

FOLDER: Final = Path(__file__).parent
RULES: Final = PlateSpinner()

KIND: Final = Kind(
    contract=1,
    folder=FOLDER,
    rules=RULES,
    value=PlateSpinnerValue(RULES, FOLDER / "value-1.json"),
    observation=PlateSpinnerObservation,
    presentation=PlateSpinnerPresentation(),
    bots=KindBots(
        plan=plate_spinner,
        guide=PlateSpinnerGuide(),
        ratings={"random": 1120.0, "strong": 1900.0},
        review_positions=300_000,
        forecast=forecast,
    ),
)
