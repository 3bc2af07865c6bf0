"""The players of these tests: Martha, Laura and Otto have accounts; a stranger has none; built-in bots have the names
of their programs."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from games.models import Player
from tests.factories.people import browser_of, joined, laura, martha, nobody_has_tried_before, otto

__all__ = ["browser_of", "joined", "laura", "martha", "nobody_has_tried_before", "otto"]
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.fixture
def guest(db: None) -> Player:
    return joined("Guest 4821", guest=True)
