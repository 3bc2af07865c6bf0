"""Metrics begin at nothing in each test."""

from __future__ import annotations

import pytest

from config.http.request_metrics import REQUEST_COUNT, REQUEST_SECONDS


@pytest.fixture(autouse=True)
def no_request_was_counted() -> None:
    """Forget the requests of this process. After other tests there are hundreds of routes, and to read the metrics
    would take most of these tests' time."""
    REQUEST_COUNT.clear()
    REQUEST_SECONDS.clear()
