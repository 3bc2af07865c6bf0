"""The types of a plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Observation = dict[str, Any]
MoveScore = Callable[[str], float]  # rates a legal move; only the order of the values matters
