"""What a plan is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Observation = dict[str, Any]
MoveScore = Callable[[str], float]  # of a legal move; only the order of worths matters
