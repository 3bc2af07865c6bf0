"""Finished seasons, which tests export to files."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fixtures.saved_rows import restored
from tests.tournaments.club import Start, play_season
from tournaments.seasons.models import Season


@pytest.fixture
def played(running: Start) -> Start:
    """Return a function that returns a finished season of so many built-in bots, made once in each process."""

    def make(entrants: int = 3, **settings: Any) -> Season:
        name = ("played", entrants, repr(sorted(settings.items())))
        return restored(name, lambda: play_season(running(entrants, **settings)))

    return make
