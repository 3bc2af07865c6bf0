"""An option of pytest for golden playthroughs; and which build of the engines is tested."""

from __future__ import annotations

import pytest

from scorebook_games import build


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="Write tests/scorebook_games/kinds/golden/ again from the engines.",
    )


def pytest_report_header() -> str:
    return f"engines: {build.current_build()}"
