"""Settings as other variables of the environment make them."""

from __future__ import annotations

import runpy
from typing import Any

import pytest
from django.conf import settings


def settings_of(monkeypatch: pytest.MonkeyPatch, **environment: str) -> dict[str, Any]:
    """Return the settings that these variables lead to, without a new Python."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    made = runpy.run_path(str(settings.BASE_DIR / "config" / "settings.py"))
    return {name: value for name, value in made.items() if name.isupper()}
