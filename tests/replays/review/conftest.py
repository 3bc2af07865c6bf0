"""Reviews in these tests take less than a second, which is enough for every phase."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from replays.review import reviews
from scorebook_games.review import Reviewer

BUDGET = 30_000  # positions


@pytest.fixture(scope="module", autouse=True)
def small_budget() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reviews, "Reviewer", partial(Reviewer, budget=BUDGET))
        yield
