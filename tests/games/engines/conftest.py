"""An option of pytest for golden playthroughs."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens", action="store_true", help="Write tests/games/engines/golden/*.txt anew from the engines."
    )
