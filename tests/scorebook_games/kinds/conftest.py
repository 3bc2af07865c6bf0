"""An option of pytest for golden playthroughs; and which build of the engines is tested."""

from __future__ import annotations

import pytest

from games import build

pytest.register_assert_rewrite("tests.games.engines.promises")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens", action="store_true", help="Write tests/games/engines/golden/*.txt anew from the engines."
    )


def pytest_report_header() -> str:
    return f"engines: {build.current_build()}"
