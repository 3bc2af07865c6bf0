"""Seasons that have been played, for files to be written of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.remembered import remembered
from tests.tournaments.club import Start, play_season
from tournaments.seasons.models import Season


@pytest.fixture
def played(running: Start) -> Start:
    """A season of so many built-in bots, played to its end: made once a process."""

    def make(entrants: int = 3, **settings: Any) -> Season:
        name = ("played", entrants, repr(sorted(settings.items())))
        return remembered(name, lambda: play_season(running(entrants, **settings)))

    return make
