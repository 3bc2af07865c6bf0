"""A plug-in of pytest that writes down the seconds of each test: `-p tests.mutation.durations`."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

SECONDS: defaultdict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    SECONDS[report.nodeid.partition("@")[0]] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        Path(os.environ["SCOREBOOK_DURATIONS"]).write_text(json.dumps(SECONDS))
